import type { RunEvent } from '@forge/core';
import type { BrokenEvent, RunRow, Store } from '@forge/store';

const page = 200;
/** Ids of other families that are remembered, so that the store is not asked again for each event. */
const mostStrangers = 10_000;

export interface FamilyEvent {
  readonly run: RunRow;
  readonly event: RunEvent | BrokenEvent;
}

/** A run and everything below it, oldest first. */
export async function familyRuns(store: Store, rootId: string): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await store.runs(
      { rootId },
      { limit: page, ...(after !== undefined && { after }) },
    );
    rows.push(...items);
    after = next;
  } while (after !== undefined);
  return rows.sort((a, b) => a.createdAt - b.createdAt);
}

/** Of a family, that run and everything below it. Parents come before their children. */
export function runsBelow(family: readonly RunRow[], topId: string): readonly RunRow[] {
  const below = new Set([topId]);
  return family.filter(({ id, parentId }) => {
    if (parentId !== undefined && below.has(parentId)) below.add(id);
    return below.has(id);
  });
}

/** A figure of several runs together. */
export function sumOf(runs: readonly RunRow[], figure: (run: RunRow) => number): number {
  return runs.reduce((total, run) => total + figure(run), 0);
}

/** All that happened in a family so far, in the order of time. */
export async function* familyPast(
  store: Store,
  runs: readonly RunRow[],
): AsyncGenerator<FamilyEvent> {
  const readers = runs.map((run) => ({ run, log: eventsOf(store, run) }));
  const heads = await Promise.all(readers.map(async ({ log }) => (await log.next()).value));
  for (;;) {
    let first: number | undefined;
    for (const [index, head] of heads.entries()) {
      if (head && (first === undefined || timeOf(head) < timeOf(heads[first]))) first = index;
    }
    const reader = first === undefined ? undefined : readers[first];
    const event = first === undefined ? undefined : heads[first];
    if (first === undefined || reader === undefined || !event) return;
    yield { run: reader.run, event };
    heads[first] = (await reader.log.next()).value;
  }
}

/** What happened in a family so far, then each event as it comes, until the signal aborts. */
export async function* followFamily(
  store: Store,
  rootId: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<FamilyEvent> {
  // The place in the feed comes first: what happens while the past is read is in both.
  const from = await store.cursor();
  const runs = new Map((await familyRuns(store, rootId)).map((run) => [run.id, run]));
  const read = new Map<string, number>();
  for await (const each of familyPast(store, [...runs.values()])) {
    read.set(each.run.id, each.event.seq);
    yield each;
  }
  const strangers = new Set<string>();
  for await (const { runId, event } of store.changes({ from, signal })) {
    if (strangers.has(runId) || event.seq <= (read.get(runId) ?? 0)) continue;
    const run = runs.get(runId) ?? (await store.run(runId));
    if (run === undefined || run.rootId !== rootId) {
      if (strangers.size >= mostStrangers) strangers.clear();
      strangers.add(runId);
      continue;
    }
    runs.set(runId, run);
    read.set(runId, event.seq);
    yield { run, event };
  }
}

async function* eventsOf(
  store: Store,
  run: RunRow,
): AsyncGenerator<RunEvent | BrokenEvent, undefined> {
  let after = 0;
  for (;;) {
    const events = await store.events(run.id, { after, limit: page });
    for (const event of events) {
      after = event.seq;
      yield event;
    }
    if (events.length < page) return undefined;
  }
}

/** What cannot be read has no time: it comes at once. */
function timeOf(event: RunEvent | BrokenEvent | undefined): number {
  return event !== undefined && 'at' in event ? event.at : 0;
}
