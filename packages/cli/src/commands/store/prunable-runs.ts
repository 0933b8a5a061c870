import type { RunRow, RunState, Store } from '@forge/store';
import { familyRuns } from '../../runs/family.ts';

/** Runs that may go, and what is known of them. */
export interface PrunableRuns {
  /** Runs without a parent. */
  readonly tops: number;
  /** All of them, with those they started. */
  readonly ids: ReadonlySet<string>;
  /** The oldest at the top, newest first. */
  readonly oldest: readonly RunRow[];
  /** Repositories that hold trees of theirs. */
  readonly repositories: ReadonlySet<string>;
  /** False: there may be more, which go too; trees of those stay in their repositories. */
  readonly isAll: boolean;
}

const ended: readonly RunState[] = ['completed', 'failed', 'cancelled', 'dead'];
const page = 200;
const shown = 5;
/** Families that are looked at, so that what is held in memory has an end. */
const mostFamilies = 20_000;

/**
 * What `store.prune` would remove: runs whose whole family ended before then. It is told before it
 * is done, so it is looked for here.
 */
export async function prunableRuns(
  store: Store,
  endedBefore: number,
  signal: AbortSignal,
): Promise<PrunableRuns> {
  const isOld = ({ finishedAt }: RunRow) => finishedAt !== undefined && finishedAt < endedBefore;
  const filter = { topOnly: true, states: ended };
  const ids = new Set<string>();
  const repositories = new Set<string>();
  const oldest: RunRow[] = [];
  let tops = 0;
  let after: string | undefined;
  do {
    const { items, next } = await store.runs(filter, { limit: page, ...(after && { after }) });
    for (const top of items.filter(isOld)) {
      signal.throwIfAborted();
      const family = await familyRuns(store, top.id);
      if (!family.every(isOld)) continue;
      tops += 1;
      for (const { id } of family) ids.add(id);
      const repo = top.labels['forge.repo'];
      if (repo !== undefined) repositories.add(repo);
      oldest.push(top);
      if (oldest.length > shown) oldest.shift();
    }
    after = next;
  } while (after !== undefined && tops < mostFamilies);
  return { tops, ids, oldest, repositories, isAll: after === undefined };
}
