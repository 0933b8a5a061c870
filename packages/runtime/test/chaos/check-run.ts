import { evolve, initialState, messageOf, type RunEvent, type RunState } from '@forge/core';
import type { InboxMessage, RunRow, Store } from '@forge/store';
import { idempotentTools, outsideTools } from './chaos-agents.ts';
import type { Execution } from './ledger.ts';

const page = 500;

/** The whole log of a run, or what is wrong with it. */
export async function readLog(
  store: Store,
  runId: string,
): Promise<{ readonly events: readonly RunEvent[]; readonly wrong: readonly string[] }> {
  const events: RunEvent[] = [];
  for (;;) {
    const more = await store.events(runId, { after: events.length, limit: page });
    for (const event of more) {
      if ('broken' in event) return { events, wrong: [`event ${event.seq}: ${event.broken}`] };
      if (event.seq !== events.length + 1)
        return { events, wrong: [`event ${event.seq} follows on ${events.length}`] };
      events.push(event);
    }
    if (more.length < page) return { events, wrong: [] };
  }
}

/** Messages nobody read, though they had to be. An order may come too late for a run that ended. */
export async function unread(
  store: Store,
  { id, state }: RunRow,
): Promise<readonly InboxMessage[]> {
  if (state === 'cancelled') return [];
  const left = await store.inbox(id);
  return left.filter(({ kind }) => state === 'open' || !['cancel', 'continue'].includes(kind));
}

/** What must hold of a run whatever happened to its workers. */
export function checkRun(
  run: RunRow,
  events: readonly RunEvent[],
  executions: readonly Execution[],
): readonly string[] {
  const folded = foldAll(events);
  if (typeof folded === 'string') return [folded];
  return [
    ...checkRow(run, folded),
    ...checkTurns(events),
    ...checkCalls(events, executions, folded),
    ...checkApprovals(events, folded),
  ];
}

function foldAll(events: readonly RunEvent[]): RunState | string {
  try {
    return events.reduce(evolve, initialState);
  } catch (error) {
    return `does not fold: ${messageOf(error)}`;
  }
}

function checkRow(run: RunRow, { phase, seq, turn }: RunState): string[] {
  const wrong: string[] = [];
  const expected = phase.name === 'finished' ? phase.status : 'open';
  if (run.state !== expected) wrong.push(`its row says ${run.state}, its log ${expected}`);
  if (run.seq !== seq) wrong.push(`its row says ${run.seq} events, its log has ${seq}`);
  if (run.turns !== turn) wrong.push(`its row says ${run.turns} turns, its log ${turn}`);
  // What ended keeps the name of its last worker.
  if (run.state === 'open' && run.leaseOwner !== undefined)
    wrong.push(`it is still leased by ${run.leaseOwner}`);
  return wrong;
}

/** A reply that was stored is not asked for again. */
function checkTurns(events: readonly RunEvent[]): string[] {
  const replied = new Set<number>();
  return events.flatMap((event) => {
    if (event.type !== 'model.replied') return [];
    if (replied.has(event.turn)) return [`turn ${event.turn} was answered twice`];
    replied.add(event.turn);
    return [];
  });
}

interface Call {
  readonly name: string;
  readonly key: string;
  starts: number;
  /** Times a person said yes to running it again, though nobody knows what came of the first time. */
  again: number;
  readonly ends: string[];
}

/** The log and the ledger of what was really done agree. */
function checkCalls(
  events: readonly RunEvent[],
  executions: readonly Execution[],
  { phase }: RunState,
): string[] {
  const wrong: string[] = [];
  const calls: Call[] = [];
  for (const event of events) {
    if (event.type === 'reply.accepted') {
      for (const { id, name } of event.calls) {
        calls.push({
          name,
          key: `${event.runId}:${event.turn}:${id}`,
          starts: 0,
          again: 0,
          ends: [],
        });
      }
    } else if (event.type === 'tool.started') {
      const call = calls.find(({ key }) => key === event.idempotencyKey);
      if (call === undefined) wrong.push(`${event.idempotencyKey} was started without a call`);
      else call.starts += 1;
    } else if (event.type === 'approval.decided' && event.approved) {
      const call = calls.findLast(({ key }) => key.endsWith(`:${event.callId}`));
      if (call !== undefined && call.starts > 0) call.again += 1;
    } else if (event.type === 'tool.finished') {
      const call = calls.find(
        (each) => each.key.endsWith(`:${event.callId}`) && each.ends.length === 0,
      );
      if (call === undefined) wrong.push(`${event.callId} has a result too many`);
      else call.ends.push(interrupted(event) ? 'interrupted' : event.outcome);
    }
  }
  // It ended well, or is a conversation that waits for the next word.
  const isAtRest = phase.name !== 'finished' || phase.status === 'completed';
  const done = Map.groupBy(executions, ({ key }) => key);
  for (const call of calls) {
    const times = done.get(call.key)?.length ?? 0;
    done.delete(call.key);
    wrong.push(...checkCall(call, times, isAtRest));
  }
  for (const key of done.keys()) wrong.push(`${key} was run and is in no log`);
  return wrong;
}

function interrupted({ content }: Extract<RunEvent, { type: 'tool.finished' }>): boolean {
  const [first] = content;
  return first?.type === 'text' && first.text.startsWith('[Interrupted]');
}

function checkCall(
  { name, key, starts, again, ends }: Call,
  times: number,
  completed: boolean,
): string[] {
  const wrong: string[] = [];
  const [end] = ends;
  if (completed && end === undefined) wrong.push(`${key} (${name}) has no result`);
  if (outsideTools.has(name)) {
    if (starts > 1) wrong.push(`${key} (${name}) was asked for ${starts} times`);
    return wrong;
  }
  if (!idempotentTools.has(name)) {
    if (times > 1 + again) wrong.push(`${key} (${name}) was run ${times} times`);
    if (starts > 1 + again) wrong.push(`${key} (${name}) was started ${starts} times`);
  }
  if (end === 'ok' && times === 0) wrong.push(`${key} (${name}) is said to be done and was not`);
  if (end === 'denied' && times > 0) wrong.push(`${key} (${name}) was denied and run`);
  if (times > 0 && starts === 0)
    wrong.push(`${key} (${name}) was run before its intent was written`);
  return wrong;
}

/** Each is decided once, unless the run ended before. */
function checkApprovals(events: readonly RunEvent[], { phase }: RunState): string[] {
  const open = new Map<string, number>();
  for (const { type, ...event } of events) {
    if (!('callId' in event)) continue;
    const { callId } = event;
    if (type === 'approval.requested') open.set(callId, (open.get(callId) ?? 0) + 1);
    if (type === 'approval.decided') open.set(callId, (open.get(callId) ?? 0) - 1);
  }
  const cancelled = phase.name === 'finished' && phase.status !== 'completed';
  return [...open].flatMap(([callId, left]) =>
    left === 0 || (left > 0 && cancelled) ? [] : [`${callId}: ${left} approvals are open`],
  );
}
