import { ForgeError, messageOf } from '@forge/core';
import type { Lease, RunRow, Store } from '@forge/store';
import { cancelChild } from '../session/cancel-child.ts';

/** Failures in a row after which a run is given up. */
export const defaultMaxStrikes = 5;
/** Deaths of workers count less: most of them are nobody's fault. */
const deathsPerStrike = 4;
const longestRest = 60_000;

/** Workers that took it up died before they got anywhere, again and again: it is put aside. */
export function refuseKiller({ strikes }: RunRow, maxStrikes: number): void {
  if (strikes < maxStrikes * deathsPerStrike) return;
  throw new ForgeError(
    'not_allowed',
    `${strikes} workers in a row came to nothing with this run. Look at its log before you let it go on.`,
  );
}

/**
 * A run that cannot be worked on waits longer each time, and in the end is put aside with its history.
 * Who has to do with it is told in the same write.
 */
export async function strikeRun({
  store,
  lease: { run, fence },
  error,
  maxStrikes,
}: {
  readonly store: Store;
  readonly lease: Lease;
  readonly error: unknown;
  readonly maxStrikes: number;
}): Promise<void> {
  const strikes = run.strikes + 1;
  const delay = Math.min(longestRest, 100 * 2 ** strikes);
  const lease = { runId: run.id, fence, delay };
  if (strikes < maxStrikes && !ForgeError.is(error, 'invalid_event')) return store.strike(lease);
  const explanation = messageOf(error).slice(0, 2_000);
  const dead = { reason: 'worker_failed', explanation };
  const sends = [...(await forParent(store, run, explanation)), ...(await forChildren(store, run))];
  await store.strike({ ...lease, dead, sends });
}

/** A parent must not wait for ever for a child that is given up; one that was pruned does not wait. */
async function forParent(store: Store, { id, parentId, parentCallId }: RunRow, why: string) {
  if (parentId === undefined || parentCallId === undefined) return [];
  if ((await store.run(parentId)) === undefined) return [];
  const content = [{ type: 'text', text: `[ToolError] The run could not be worked on: ${why}` }];
  return [
    {
      runId: parentId,
      kind: 'result',
      source: `child:${id}`,
      payload: { callId: parentCallId, outcome: 'error', content },
    },
  ];
}

/**
 * Nobody reads what its children find out. They are asked of the store, for the log may be what is
 * broken; only the holder of the lease starts any, so none comes after this.
 */
async function forChildren(store: Store, { id }: RunRow) {
  const sends = [];
  let after: string | undefined;
  do {
    const place = after === undefined ? {} : { after };
    const page = await store.runs({ parentId: id, states: ['open', 'paused'] }, place);
    for (const child of page.items) {
      if (child.parentCallId === undefined) continue;
      sends.push(cancelChild(child.id, 'The run that started it could not be worked on.'));
    }
    after = page.next;
  } while (after !== undefined);
  return sends;
}
