// Tool calls of a real small model, asked directly and through the proxy. Opt in: npm run test:proxy-model
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheFolder } from './cache-folder.ts';
import { fetchWeights, testModel } from './fetch-weights.ts';
import { requestFor, scoreOf } from './proxy-ask.ts';
import { rungsTable, type Shot, waysTable } from './proxy-report.ts';
import { type CallTask, type TaskSet, taskSets } from './proxy-tasks.ts';
import { type Way, ways } from './proxy-ways.ts';
import { startTestServer, type TestServer } from './start-test-server.ts';

const sets = taskSets.map(({ name }) => name);
const help = `Tool calls of a real small model, asked directly and through the proxy.

  npm run test:proxy-model -- --set household --way ladder

  --set NAME      ${sets.join(', ')}; may be repeated (default: all)
  --way NAME      may be repeated (default: all)
                    direct   straight from llama-server
                    nudges   through the proxy, told what was wrong and no more
                    schema   held to the shape of a call from the start, without the proxy
                    ladder   through the proxy as it comes
  --threads N     processor threads for the model (default: all)
  --json FILE     where every reply goes as JSON (default: the cache folder)
  --help          print this help

Right arguments are those expected, but for case, spaces, and numbers written as text.
`;

const { values } = parseArgs({
  options: {
    set: { type: 'string', multiple: true, default: sets },
    way: { type: 'string', multiple: true, default: [...ways.keys()] },
    threads: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknown = [
  ...values.set.filter((name) => !sets.includes(name)),
  ...values.way.filter((name) => !ways.has(name)),
];
if (values.help || unknown.length > 0) {
  if (values.help) console.log(help);
  else console.error(`There is no ${unknown.join(', ')}.\n\n${help}`);
  process.exit(values.help ? 0 : 2);
}

const cache = join(cacheFolder(), 'test-model');
const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => controller.abort());
const { signal } = controller;
const say = (line: string) => console.error(line);

const weights = await fetchWeights({ folder: cache, say });
const threads = Number(values.threads);
const server = await startTestServer({ cache, weights, threads, say, signal });
if (typeof server === 'string') {
  say(server);
  process.exit(1);
}

const shots: Shot[] = [];
try {
  await playAll(server);
} catch (error) {
  say(`Stopped: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await server.close();
}
console.log(waysTable(shots));
console.log(`\n${rungsTable(shots.filter(({ way }) => way === 'ladder'))}`);
const file = values.json ?? join(cache, 'proxy-results.json');
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify({ model: testModel.file, shots }, null, 2)}\n`);
say(`Every reply is in ${file}.`);

async function playAll(server: TestServer): Promise<void> {
  for (const [name, open] of ways) {
    if (!values.way.includes(name)) continue;
    const way = await open(server);
    try {
      for (const set of taskSets) {
        if (!values.set.includes(set.name)) continue;
        for (const task of set.tasks) shots.push(await play({ name, way, set, task }));
      }
    } finally {
      await way.close();
    }
  }
}

async function play(options: {
  readonly name: string;
  readonly way: Way;
  readonly set: TaskSet;
  readonly task: CallTask;
}): Promise<Shot> {
  const { name, way, set, task } = options;
  const startedAt = Date.now();
  const { reply, attempts } = await way.ask(requestFor(task, set.tools), signal);
  const seconds = (Date.now() - startedAt) / 1_000;
  const score = scoreOf(reply, task);
  const mark = score.args ? 'right' : score.tool ? 'right tool' : 'wrong';
  say(`${set.name}, ${name}: ${mark}. ${task.ask} → ${score.said}`);
  return { set: set.name, way: name, ask: task.ask, ...score, attempts, seconds };
}
