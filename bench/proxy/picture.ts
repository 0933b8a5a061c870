import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type Bar, barPicture } from './bar-picture.ts';
import { published } from './published.ts';

/** Draws the last run of the bench: `node bench/proxy/picture.ts`. */
const results = new URL('../results/proxy.json', import.meta.url);
const picture = new URL('../../docs/images/proxy-cpu.svg', import.meta.url);
const drawn = 'call-20';

const figure = z.object({ name: z.string(), cpu: z.number().optional() });
const section = z.object({
  data: z.object({ workload: z.object({ name: z.string() }), crowded: z.array(figure) }).optional(),
});
const { sections } = z
  .object({ sections: z.array(section) })
  .parse(JSON.parse(readFileSync(results, 'utf8')));

const found = sections.find(({ data }) => data?.workload.name === drawn)?.data;
if (found === undefined) throw new Error('Run `npm run bench -- proxy` first: it has no figures.');
const measured = found.crowded.flatMap(({ name, cpu }): Bar[] =>
  cpu === undefined
    ? []
    : [{ name, value: cpu, kind: name.startsWith('Forge') ? 'ours' : 'measured' }],
);
const others = published.map(({ name, cpu }): Bar => ({ name, value: cpu, kind: 'published' }));

mkdirSync(dirname(fileURLToPath(picture)), { recursive: true });
writeFileSync(
  picture,
  barPicture({
    title: 'What a proxy costs: processor time per request',
    unit: 'Microseconds, logarithmic. A reply with a native call, 20 tools offered, 32 connections.',
    bars: [...measured, ...others],
  }),
);
console.log(fileURLToPath(picture));
