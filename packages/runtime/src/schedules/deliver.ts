import type { JsonObject } from '@forge/core';
import type { NewMessage, NewRun, RunState, ScheduleRow } from '@forge/store';
import { firingText } from './firing-text.ts';
import type { ScheduleSpec } from './schedule-spec.ts';
import type { Account, Recent, Waiting } from './stored-schedule.ts';

/** One firing, made of what the store can write with it. */
export interface Delivery {
  readonly sends: readonly (NewMessage & { readonly runId: string })[];
  readonly starts: readonly NewRun[];
  readonly recent: Recent;
  readonly account: Account;
  readonly notes: readonly string[];
}

/** The name a firing has in an inbox: what has arrived under it is not taken again. */
export function sourceOf(scheduleId: string, dueAt: number): string {
  return `schedule:${scheduleId}:${dueAt}`;
}

/**
 * A message to the conversation the schedule names, if that can still hear it; else a new run, so
 * that nothing is dropped because a conversation came to its end.
 */
export function deliver({
  row,
  spec,
  due,
  now,
  target,
  replaces,
  byHand,
}: {
  readonly row: ScheduleRow;
  readonly spec: ScheduleSpec;
  readonly due: Waiting;
  readonly now: number;
  readonly target?:
    | { readonly state: RunState | 'gone'; readonly tokens: number; readonly cost: number }
    | undefined;
  /** Earlier firings that make room for it. */
  readonly replaces: readonly Recent[];
  /** Somebody asked for it now, whatever the rule says. */
  readonly byHand?: string;
}): Delivery {
  const { id, runId, agent, tenant } = row;
  const { dueAt } = due;
  const hears = target !== undefined && ['open', 'paused', 'dead'].includes(target.state);
  const isOver = runId !== undefined && !hears;
  const notes = [
    ...(byHand === undefined ? [] : [byHand]),
    ...(isOver ? [`The conversation ${runId} it belongs to is over; this is a new one.`] : []),
  ];
  const text = firingText({ scheduleId: id, spec, due, now, notes });
  const message = (mode: 'queue' | 'interrupt') => ({
    kind: 'input',
    payload: inputOf(text, mode),
    source: sourceOf(id, dueAt),
  });
  const runs = replaces.filter(({ kind }) => kind === 'run');
  const cancels = runs.map((earlier) => cancelOf(id, earlier));
  if (runId !== undefined && hears) {
    // What was said before in the same conversation is not unsaid, but it does not hold this up.
    const mode = spec.overlap === 'cancel_other' ? 'interrupt' : 'queue';
    return {
      sends: [...cancels, { runId, ...message(mode) }],
      starts: [],
      recent: { kind: 'message', runId, dueAt, at: now },
      account: { runId, since: now, tokens: target.tokens, cost: target.cost },
      notes,
    };
  }
  const started = `${id}.${dueAt}`;
  const start: NewRun = {
    id: started,
    agent,
    ...(spec.name !== undefined && { title: spec.name }),
    ...(tenant !== undefined && { tenant }),
    labels: { ...spec.labels, schedule: id },
    inbox: [message('queue')],
  };
  return {
    sends: cancels,
    starts: [start],
    recent: { kind: 'run', runId: started, dueAt, at: now },
    account: { runId: started, since: now, tokens: 0, cost: 0 },
    notes,
  };
}

function inputOf(text: string, mode: 'queue' | 'interrupt'): JsonObject {
  return { messages: [{ role: 'user', content: [{ type: 'text', text }] }], mode };
}

function cancelOf(scheduleId: string, { runId }: Recent) {
  return {
    runId,
    kind: 'cancel',
    payload: { by: `schedule ${scheduleId}`, reason: 'The next time it was due has come.' },
    // A paused run has to hear it too.
    reopens: true,
  };
}
