import { ForgeError } from '@forge/core';
import type { Store } from '@forge/store';
import type { CommandContext } from '../../context.ts';
import { createQuestions } from '../../questions.ts';
import { titleOf } from '../../runs/find-run.ts';
import { stateWord } from '../../runs/run-state.ts';
import { shortId } from '../../runs/short-id.ts';
import { withWorkshop } from '../../runs/with-workshop.ts';
import { counted, inDate } from '../../runs/words.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { type PrunableRuns, prunableRuns } from './prunable-runs.ts';

const page = 500;

/** `forge store prune`, once its flags are read. */
export async function pruneStore(
  context: CommandContext,
  {
    olderThan,
    dryRun = false,
    yes = false,
    json = false,
  }: {
    /** Milliseconds. */
    readonly olderThan: number;
    readonly dryRun?: boolean;
    readonly yes?: boolean;
    readonly json?: boolean;
  },
): Promise<void> {
  const { signal } = context;
  const terminal = context.terminal();
  const asks = !dryRun && !yes;
  if (asks && (json || !terminal.interactive)) {
    throw new UsageError(
      'Nobody can be asked here. Write --dry-run to see what would go, or --yes to remove it.',
    );
  }
  await withWorkshop(context, {}, async ({ store }) => {
    const endedBefore = (await store.now()) - olderThan;
    const found = await prunableRuns(store, endedBefore, signal);
    if (!json) describe(found, endedBefore, terminal);
    const goes = found.tops > 0 && !dryRun && (!asks || (await confirm(context)));
    const removed = goes ? await remove(store, { found, endedBefore, signal }) : 0;
    if (json) {
      const { tops, ids, isAll } = found;
      const before = new Date(endedBefore).toISOString();
      terminal.out(JSON.stringify({ before, runs: tops, all: ids.size, isAll, removed }));
    } else if (goes) {
      terminal.out(`Removed ${counted(removed, 'run')}.`);
    } else if (found.tops > 0) {
      terminal.out(dryRun ? 'Nothing was removed (--dry-run).' : 'Nothing was removed.');
    }
  });
}

function describe(
  { tops, ids, oldest, isAll }: PrunableRuns,
  endedBefore: number,
  terminal: Terminal,
): void {
  const before = `${inDate(endedBefore)} UTC`;
  if (tops === 0) {
    terminal.out(`No run ended before ${before} with all it started.`);
    return;
  }
  const atLeast = isAll ? '' : 'at least ';
  terminal.out(
    `${atLeast}${counted(tops, 'run')} ended before ${before}, ${ids.size} with those they started:`,
  );
  if (tops > oldest.length) terminal.out(`  ${tops - oldest.length} newer ones, and`);
  for (const run of oldest) {
    terminal.out(
      `  ${shortId(run.id)}  ${stateWord(run)}  ${inDate(run.createdAt)}  ${titleOf(run)}`,
    );
  }
}

async function confirm(context: CommandContext): Promise<boolean> {
  const { stdin, signal } = context;
  const questions = createQuestions({ terminal: context.terminal(), stdin, signal });
  try {
    return await questions.yes('Remove them for good?', false);
  } finally {
    questions.close();
  }
}

/** Trees first: after a crash in between, the runs are still there to be found. */
async function remove(
  store: Store,
  {
    found,
    endedBefore,
    signal,
  }: { readonly found: PrunableRuns; readonly endedBefore: number; readonly signal: AbortSignal },
): Promise<number> {
  for (const repo of found.repositories) await removeTrees(repo, found.ids, signal);
  let removed = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await store.prune({ endedBefore, limit: page });
    if (count === 0) return removed;
    removed += count;
  }
}

async function removeTrees(
  repo: string,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const { pruneRefs } = await import('@forge/pipeline');
  try {
    await pruneRefs(repo, (id) => !ids.has(id), signal);
  } catch (error) {
    // The repository may be gone, and its trees with it.
    if (!ForgeError.is(error)) throw error;
  }
}
