import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../context.ts';
import { readSpan } from '../read-span.ts';

const examples = `
The store is what the settings name: a file, or PostgreSQL ("forge config store").

Examples:
  forge store info
  forge store rebuild
  forge store prune --older-than 30d --dry-run
  forge store export 3f2a91c0 --to runs`;

/** `forge store`: the ground that runs stand on. */
export function addStore(program: Command, context: CommandContext): void {
  const store = program
    .command('store')
    .description('where runs are kept: look at it, tidy it, take things out')
    .addHelpText('after', examples);
  addInfo(store, context);
  addRebuild(store, context);
  addPrune(store, context);
  addExport(store, context);
  addMemory(store, context);
}

interface Json {
  readonly json?: boolean;
}

function addInfo(store: Command, context: CommandContext) {
  store
    .command('info')
    .description('where it is, how large, and what is in it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  forge store info')
    .action(async ({ json = false }: Json) => {
      const { showStore } = await import('./store/show-store.ts');
      await showStore(context, { json });
    });
}

const rebuildNotes = `
Turns, tokens, costs and daily figures are sums over the log. This adds them up anew, while others go
on working, and says which were not what the log says.

Example:
  forge store rebuild`;

function addRebuild(store: Command, context: CommandContext) {
  store
    .command('rebuild')
    .description('add all figures up again from the log, and say which were wrong')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', rebuildNotes)
    .action(async ({ json = false }: Json) => {
      const { rebuildStore } = await import('./store/rebuild-store.ts');
      await rebuildStore(context, { json });
    });
}

const pruneNotes = `
A run goes with all it started, once all of them ended that long ago: logs, results, decisions, and the
trees that are kept in its repository. Branches, deployments, facts and daily figures stay.

Examples:
  forge store prune --older-than 30d --dry-run
  forge store prune --older-than 90d --yes`;

interface PruneFlags extends Json {
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

function addPrune(store: Command, context: CommandContext) {
  store
    .command('prune')
    .description('remove runs that ended long ago')
    .requiredOption('--older-than <span>', 'ended at least that long ago, such as 30d', olderThan)
    .option('--dry-run', 'only say what would go')
    .option('--yes', 'do not ask')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', pruneNotes)
    .action(async (flags: PruneFlags) => {
      const { pruneStore } = await import('./store/prune-store.ts');
      await pruneStore(context, flags);
    });
}

function olderThan(text: string): number {
  const span = readSpan(text);
  if (span !== undefined) return span;
  throw new InvalidArgumentError('It takes a span such as 30d, 12h or 90m.');
}

const exportNotes = `
It becomes a folder of its own, named after the run: run.json, messages.jsonl, events.jsonl,
summary.json. Runs that it started are exported by their own ids.

Example:
  forge store export 3f2a91c0 --to runs`;

function addExport(store: Command, context: CommandContext) {
  store
    .command('export')
    .description('write a run as a folder of files')
    .argument('<run>', 'its id, or the beginning of it')
    .option('--to <folder>', 'where that folder is made', '.')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', exportNotes)
    .action(async (id: string, { to, json = false }: Json & { to: string }) => {
      const { exportRun } = await import('./store/export-run.ts');
      await exportRun(context, { id, to, json });
    });
}

const exportMemoryNotes = `
A scope says whose facts they are, such as agent:writer; tools that remember are given one.

Example:
  forge store export-memory 3f2a91c0 --scope agent:writer --to memory.json`;

const importMemoryNotes = `
Facts are remembered in that scope; those that are known already stay as they are. Messages are not
taken: a conversation is a run.

Example:
  forge store import-memory memory.json --scope agent:writer`;

function addMemory(store: Command, context: CommandContext) {
  store
    .command('export-memory')
    .description('write the last messages of a run, and facts, as memory.json')
    .argument('<run>', 'its id, or the beginning of it')
    .option('--to <file>', 'the file', 'memory.json')
    .option('--scope <name>', 'the facts of this scope too')
    .option('--last <number>', 'how many messages', readCount, 20)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', exportMemoryNotes)
    .action(async (id: string, flags: Json & { to: string; scope?: string; last: number }) => {
      const { saveMemory } = await import('./store/move-memory.ts');
      await saveMemory(context, { id, ...flags });
    });
  store
    .command('import-memory')
    .description('remember the facts of a memory.json')
    .argument('<file>', 'such a file')
    .requiredOption('--scope <name>', 'whose facts they become')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', importMemoryNotes)
    .action(async (file: string, flags: Json & { scope: string }) => {
      const { loadMemory } = await import('./store/move-memory.ts');
      await loadMemory(context, { file, ...flags });
    });
}

function readCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a number from 0, such as 20.');
}
