// Guarded tool calls with a real small model, guardrails off and on. Opt in: npm run test:model
//   --engine embedded --engine llama-server   which engines (default: both)
//   --rounds 3                                how often each of the 10 tasks is played
//   --condition off --condition on            which conditions (default: all)
//   --threads 2                               processor threads for the model
//   --json FILE                               where the results go as JSON
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheFolder } from './cache-folder.ts';
import { conditions } from './conditions.ts';
import { embeddedVoice } from './embedded-voice.ts';
import { fetchWeights, testModel } from './fetch-weights.ts';
import { type Row, summarise, toTable } from './report.ts';
import { serverVoice } from './server-voice.ts';
import { type Try, tryOut } from './try-out.ts';
import type { OpenVoice } from './voice.ts';

const engines: Readonly<Record<string, OpenVoice>> = {
  embedded: embeddedVoice,
  'llama-server': serverVoice,
};
const cache = join(cacheFolder(), 'test-model');
const { values } = parseArgs({
  options: {
    engine: { type: 'string', multiple: true, default: Object.keys(engines) },
    condition: { type: 'string', multiple: true, default: conditions.map(({ name }) => name) },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'string', default: join(cache, 'results.json') },
  },
});

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const { signal } = controller;
const say = (line: string) => console.error(line);
// Warm enough that seeds matter, short enough for a slow machine.
const settings = { temperature: 0.6, topP: 0.95, maxTokens: 48 };

const weights = await fetchWeights({ folder: cache, say });
const rows: Row[] = [];
const all: (Try & { engine: string })[] = [];
for (const engine of values.engine) {
  const open = engines[engine];
  if (open === undefined)
    throw new Error(`No engine ${engine}. There are: embedded, llama-server.`);
  const threads = Number(values.threads);
  const voice = await open({ cache, weights, settings, threads, say, signal });
  if (typeof voice === 'string') {
    say(`${engine}: skipped. ${voice}`);
    continue;
  }
  try {
    for (const condition of conditions) {
      if (!values.condition.includes(condition.name) || signal.aborted) continue;
      const rounds = Number(values.rounds);
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
await mkdir(dirname(values.json), { recursive: true });
await writeFile(
  values.json,
  `${JSON.stringify({ model: testModel.file, settings, rows, tries: all }, null, 2)}\n`,
);
say(`The results are in ${values.json}.`);
if (signal.aborted) process.exitCode = 130;
