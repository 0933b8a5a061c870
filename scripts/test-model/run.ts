// Guarded tool calls with a real small model, guardrails off and on. Opt in: npm run test:model
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { conditions } from './conditions.ts';
import { embeddedVoice } from './embedded-voice.ts';
import { fetchWeights, testModel } from './fetch-weights.ts';
import { readOptions } from './read-options.ts';
import { type Row, summarise, toTable } from './report.ts';
import { serverVoice } from './server-voice.ts';
import { type Try, tryOut } from './try-out.ts';
import type { OpenVoice } from './voice.ts';

const engines: Readonly<Record<string, OpenVoice>> = {
  embedded: embeddedVoice,
  'llama-server': serverVoice,
};
const cache = join(cacheFolder(), 'test-model');
const options = readOptions(process.argv.slice(2), {
  engines: Object.keys(engines),
  conditions: conditions.map(({ name }) => name),
});
if ('say' in options) {
  (options.exitCode === 0 ? console.log : console.error)(options.say);
  process.exit(options.exitCode);
}

const file = options.json ?? join(cache, 'results.json');
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const { signal } = controller;
const say = (line: string) => console.error(line);
// Warm enough that seeds matter, short enough for a slow machine.
const settings = { temperature: 0.6, topP: 0.95, maxTokens: 48 };

const weights = await fetchWeights({ folder: cache, say });
const rows: Row[] = [];
const all: (Try & { engine: string })[] = [];
for (const engine of options.engines) {
  const open = engines[engine];
  if (open === undefined) continue;
  const { threads } = options;
  const voice = await open({ cache, weights, settings, threads, say, signal });
  if (typeof voice === 'string') {
    say(`${engine}: skipped. ${voice}`);
    continue;
  }
  try {
    for (const condition of conditions) {
      if (!options.conditions.includes(condition.name) || signal.aborted) continue;
      const { rounds } = options;
      const tries: Try[] = [];
      for await (const one of tryOut({ client: voice.client, condition, rounds, signal })) {
        tries.push(one);
        all.push({ engine, ...one });
        const mark = one.solved ? 'solved' : `not solved (${one.reason})`;
        say(
          `${engine} ${condition.name} ${tries.length}: ${mark}, ${one.turns} turns, ${one.seconds} s`,
        );
      }
      rows.push(summarise(engine, condition.name, tries));
    }
  } finally {
    await voice.close();
  }
}
console.log(toTable(rows));
for (const { name, about } of conditions) console.log(`- ${name}: ${about}`);
await mkdir(dirname(file), { recursive: true });
await writeFile(
  file,
  `${JSON.stringify({ model: testModel.file, settings, rows, tries: all }, null, 2)}\n`,
);
say(`The results are in ${file}.`);
if (signal.aborted) process.exitCode = 130;
