import { isDeepStrictEqual } from 'node:util';
import type { RunEvent } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import { checkRun, readLog, unread } from './check-run.ts';
import { type Ack, ackSchema, executionSchema, readLedger } from './ledger.ts';
import type { Town } from './town.ts';

export interface Checked {
  /** What is wrong; nothing if all is well. */
  readonly wrong: readonly string[];
  readonly runs: number;
  readonly events: number;
  readonly executions: number;
  readonly repeated: number;
  readonly interrupted: number;
  readonly resumed: number;
  readonly acks: readonly Ack[];
}

/** Everything that must hold when all is quiet: of each run, of the ledgers, and of what was promised. */
export async function checkAll(
  store: Store,
  town: Town,
  files: { readonly ledger: string; readonly acks: string },
): Promise<Checked> {
  const wrong = [...town.wrong];
  const executions = readLedger(files.ledger, executionSchema);
  const acks = readLedger(files.acks, ackSchema);
  const byRun = Map.groupBy(executions, ({ run }) => run);
  const logs = new Map<string, readonly RunEvent[]>();
  for await (const run of allRuns(store)) {
    const log = await readLog(store, run.id);
    logs.set(run.id, log.events);
    const left = await unread(store, run);
    const found = [
      ...log.wrong,
      ...checkRun(run, log.events, byRun.get(run.id) ?? []),
      ...left.map(({ kind, source }) => `a message (${kind}, ${source}) was not read`),
    ];
    if (run.state === 'cancelled' && !wasCancelled(run, town))
      found.push('it was not cancelled by us');
    wrong.push(...found.map((problem) => `${run.id}: ${problem}`));
  }
  for (const id of town.launched)
    if (!logs.has(id)) wrong.push(`${id}: it was launched and is gone`);
  wrong.push(...checkAcks(acks, logs), ...checkFeed(town, logs), ...checkSaid(town, logs));
  wrong.push(...(await checkDecisions(store, town)), ...(await checkRebuild(store)));
  const events = [...logs.values()].flat();
  return {
    wrong,
    runs: logs.size,
    events: events.length,
    executions: executions.length,
    repeated: executions.length - new Set(executions.map(({ key }) => key)).size,
    interrupted: events.filter(
      (event) =>
        event.type === 'tool.finished' && JSON.stringify(event.content).includes('[Interrupted]'),
    ).length,
    resumed: events.filter(({ type }) => type === 'run.resumed').length,
    acks,
  };
}

async function* allRuns(store: Store): AsyncGenerator<RunRow> {
  let after: string | undefined;
  do {
    const page = await store.runs({}, { limit: 100, ...(after !== undefined && { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

function wasCancelled({ id, parentId }: RunRow, { cancelled }: Town): boolean {
  return cancelled.has(id) || (parentId !== undefined && cancelled.has(parentId));
}

/** Whatever the store said yes to is there, as it was, and was said once. */
function checkAcks(acks: readonly Ack[], logs: ReadonlyMap<string, readonly RunEvent[]>): string[] {
  const seen = new Set<string>();
  return acks.flatMap(({ run, from, types }) =>
    types.flatMap((type, at) => {
      const seq = from + at;
      const place = `${run}: event ${seq} (${type})`;
      if (seen.has(`${run}:${seq}`)) return [`${place} was acknowledged twice`];
      seen.add(`${run}:${seq}`);
      const stored = logs.get(run)?.[seq - 1]?.type;
      return stored === type ? [] : [`${place} was acknowledged and is ${stored ?? 'lost'}`];
    }),
  );
}

/** The feed told of every event once, those of a run in order. */
function checkFeed({ feed }: Town, logs: ReadonlyMap<string, readonly RunEvent[]>): string[] {
  const last = new Map<string, number>();
  const wrong = feed.flatMap(({ run, seq }) => {
    const before = last.get(run) ?? 0;
    last.set(run, seq);
    return seq === before + 1 ? [] : [`${run}: the feed told of ${seq} after ${before}`];
  });
  for (const [run, { length }] of logs) {
    const told = last.get(run) ?? 0;
    if (told !== length) wrong.push(`${run}: the feed told of ${told} of ${length} events`);
  }
  return wrong;
}

/** Each message that was accepted is in its log once. */
function checkSaid({ said }: Town, logs: ReadonlyMap<string, readonly RunEvent[]>): string[] {
  return [...said].flatMap(([run, messages]) => {
    const taken = (logs.get(run) ?? []).flatMap((event) => {
      if (event.type === 'run.started') return event.input;
      return event.type === 'input.received' ? event.messages : [];
    });
    const words = taken.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    );
    const isSame = isDeepStrictEqual([...words].sort(), [...messages].sort());
    return isSame ? [] : [`${run}: said ${messages.join(' ')}, taken ${words.join(' ')}`];
  });
}

async function checkDecisions(store: Store, { decisions }: Town): Promise<string[]> {
  const wrong: string[] = [];
  for (const [id, times] of decisions) {
    if (times !== 1) wrong.push(`approval ${id} was decided ${times} times`);
  }
  const { items } = await store.approvals({ state: 'pending' });
  for (const { id } of items) wrong.push(`approval ${id} is still pending`);
  return wrong;
}

async function checkRebuild(store: Store): Promise<string[]> {
  const before = await store.stats();
  await store.rebuild();
  return isDeepStrictEqual(await store.stats(), before)
    ? []
    : ['the projections come out different'];
}
