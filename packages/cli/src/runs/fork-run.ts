import { ForgeError } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { findRun } from './find-run.ts';
import { shortId } from './short-id.ts';
import { withWorkshop } from './with-workshop.ts';

/** `forge fork`, once its flags are read. */
export async function forkRun(
  id: string,
  {
    context,
    at,
    title,
    message,
    json = false,
  }: {
    readonly context: CommandContext;
    readonly at: number;
    readonly title?: string;
    readonly message?: string;
    readonly json?: boolean;
  },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store, runtime }) => {
    const run = await findRun(store, id);
    if (at > run.seq) {
      throw new ForgeError(
        'invalid_options',
        `Run ${run.id} has ${run.seq} events: there is no event ${at}. Give a number from 1 to ${run.seq}.`,
      );
    }
    const named = title ?? run.title;
    const fork = await runtime.fork(run.id, { at, ...(named !== undefined && { title: named }) });
    await takeTree(store, { from: run, to: fork.id, at });
    if (message !== undefined) await runtime.send(fork.id, message);
    const terminal = context.terminal();
    if (json) {
      terminal.out(JSON.stringify({ runId: fork.id, from: run.id, at }));
      return;
    }
    terminal.out(fork.id);
    terminal.err(`Go on with it: forge resume ${shortId(fork.id)}`);
  });
}

/** The files of a coding run are those its log speaks of. */
async function takeTree(
  store: Store,
  { from, to, at }: { readonly from: RunRow; readonly to: string; readonly at: number },
): Promise<void> {
  const { forkTree, repoLabel } = await import('@forge/pipeline');
  const repo = from.labels[repoLabel];
  const [last] = await store.events(from.id, { after: at - 1, limit: 1 });
  if (repo === undefined || last === undefined || !('type' in last)) return;
  try {
    await forkTree({ repo, from: from.id, to, at: last.at });
  } catch (error) {
    // A repository that is no longer there has no trees either.
    if (!ForgeError.is(error, 'invalid_options') && !ForgeError.is(error, 'not_found')) throw error;
  }
}
