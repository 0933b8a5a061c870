import { randomInt } from 'node:crypto';
import { cacheFolder } from '../test-model/cache-folder.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import type { CodingClient } from './coding-client.ts';
import { continueClient } from './continue.ts';
import { describePlayed } from './describe-played.ts';
import { installClient, type Program } from './install-client.ts';
import { type MistakeName, mistakes } from './mistakes.ts';
import { opencode } from './opencode.ts';
import { type Played, playTask, prompt, type Way } from './play-task.ts';
import { readOptions } from './read-options.ts';

/**
 * Real coding agents through the proxy:
 *
 *     npm run clients
 *     npm run clients -- codex --mistake text --verbose
 *
 * Exits with 1 if a client did not finish its task through the proxy.
 */
const clients: readonly CodingClient[] = [opencode, codex, claude, continueClient];

const options = readOptions(
  process.argv.slice(2),
  clients.map(({ name }) => name),
);
if ('say' in options) {
  console.log(options.say);
  process.exitCode = options.exitCode;
} else {
  const rows: string[] = [];
  console.log(`The task: ${prompt}`);
  for (const client of clients.filter(({ name }) => options.clients.includes(name))) {
    console.log(`\n${client.title} ${client.version} (${client.package}, speaks ${client.wire})`);
    const program = await installed(client);
    if (program === undefined) continue;
    for (const mistake of options.mistakes) {
      console.log(`  the model's first call: ${mistakes[mistake].title}`);
      const cells = [];
      for (const way of waysOf(client)) cells.push(await play({ client, program, mistake, way }));
      if (cells.length === 2) cells.push('(the same)');
      rows.push(
        `| ${client.title} ${client.version} | ${mistakes[mistake].title} | ${cells.join(' | ')} |`,
      );
    }
  }
  const head = [
    'client',
    'first call of the model',
    'direct',
    'proxy, same wire',
    'proxy, chat backend',
  ];
  console.log(`\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n${rows.join('\n')}`);
}

/** At once, through the proxy to a backend of its own wire, and to one of the usual wire. */
function waysOf({ wire }: CodingClient): readonly Way[] {
  return ['direct', wire, ...(wire === 'openai-chat' ? [] : (['openai-chat'] as const))];
}

async function installed(client: CodingClient): Promise<Program | undefined> {
  try {
    return await installClient(client, cacheFolder());
  } catch (error) {
    console.log(`  not run: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
    return undefined;
  }
}

async function play(task: {
  readonly client: CodingClient;
  readonly program: Program;
  readonly mistake: MistakeName;
  readonly way: Way;
}): Promise<string> {
  const { way } = task;
  const played = await playTask({ ...task, secret: `heron-${randomInt(1e6, 1e7)}` });
  if (!played.isDone && way !== 'direct') process.exitCode = 1;
  console.log(
    `   ${way === 'direct' ? 'direct' : `through the proxy, backend ${way}`}: ${resultOf(played)}`,
  );
  if (options !== undefined && 'isVerbose' in options && options.isVerbose) {
    console.log(describePlayed(played));
  }
  return resultOf(played);
}

/** How it ended, how often the client had to ask, and what the proxy did each time. */
function resultOf({ isDone, spoken, events }: Played): string {
  const guarded = events.filter(({ tools = 0 }) => tools > 0);
  const asked =
    events.length > 0 ? guarded.length : spoken.filter((said) => said !== 'aside').length;
  const did = guarded.length > 0 ? `: ${guarded.map(({ outcome }) => outcome).join(', ')}` : '';
  return `${isDone ? 'done' : 'not done'}, ${asked} ${asked === 1 ? 'request' : 'requests'}${did}`;
}
