import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  evolve,
  ForgeError,
  initialState,
  type RunEvent,
  type RunState,
  type UserMessage,
  userMessage,
} from '@forge/core';
import type { ApprovalRow, Decision, RunRow, Store } from '@forge/store';
import type { Queue } from '../queue/queue.ts';
import { type RunStatus, statusOf } from './status-of.ts';

export interface LaunchOptions {
  /** A name of your own, so that a repeated launch is one run. Default: a new one. */
  readonly id?: string;
  readonly title?: string;
  readonly tenant?: string;
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970; it begins then. */
  readonly at?: number;
}

export interface SendOptions {
  /** The same message from the same source is taken once: an id of the chat, of the webhook. */
  readonly source?: string;
  /** `interrupt`: the model is stopped in the middle of its sentence. Default `queue`. */
  readonly mode?: 'queue' | 'interrupt';
}

export interface RunView {
  readonly run: RunRow;
  readonly status: RunStatus;
  readonly state: RunState;
}

type Input = string | UserMessage | readonly UserMessage[];

/**
 * What people and programs do with runs. Nothing here works on a run: workers do. Everything is
 * on disk when its promise resolves, and may be done from any process.
 */
export interface Runtime {
  launch(agent: string, input: Input, options?: LaunchOptions): Promise<RunRow>;
  /** False if that source was heard before. */
  send(runId: string, input: Input, options?: SendOptions): Promise<boolean>;
  /**
   * The result of a call that is answered from outside. With the call's idempotency key it is taken
   * for that call alone and once: many models number their calls anew in every turn, so that an
   * answer that comes twice might else be taken for a later call of the same id. False if it was
   * heard before.
   */
  answer(
    runId: string,
    callId: string,
    result: { readonly text: string; readonly isError?: boolean; readonly key?: string },
  ): Promise<boolean>;
  pause(runId: string, by?: { readonly by?: string; readonly reason?: string }): Promise<void>;
  resume(runId: string, by?: { readonly by?: string }): Promise<void>;
  cancel(runId: string, by?: { readonly by?: string; readonly reason?: string }): Promise<void>;
  /** All of them or none. */
  decide(...decisions: readonly Decision[]): Promise<readonly ApprovalRow[]>;
  /** The run with its state, folded from its log: at its end, or as it was after event `at`. */
  view(runId: string, at?: number): Promise<RunView>;
  /** A new run that goes on from an event of this one. */
  fork(
    runId: string,
    options: { readonly at: number; readonly id?: string; readonly title?: string },
  ): Promise<RunRow>;
  /** Resolves when the run has ended. */
  ended(runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunView>;
  /** Resolves when the run has ended, or waits for somebody. */
  settled(runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunView>;
}

const page = 500;

export function createRuntime({
  store,
  queue,
  now = Date.now,
  newId = randomUUID,
}: {
  readonly store: Store;
  readonly queue?: Queue;
  readonly now?: () => number;
  readonly newId?: () => string;
}): Runtime {
  /** A hint only: the store wakes workers too, and they look by themselves. */
  const hint = (runId: string, priority?: number) =>
    queue?.publish(runId, priority === undefined ? {} : { priority });

  const send: Runtime['send'] = async (runId, input, { source, mode = 'queue' } = {}) => {
    const payload = { messages: toMessages(input), mode };
    const isNew = await store.send(runId, {
      kind: 'input',
      payload,
      ...(source !== undefined && { source }),
    });
    // A run that ended before it heard this has to be woken: nobody works on it any more.
    const run = isNew ? await store.run(runId) : undefined;
    if (run?.state === 'completed' || run?.state === 'failed') {
      await store.send(runId, { kind: 'continue', payload: {}, reopens: true });
    }
    await hint(runId);
    return isNew;
  };

  const order = async (
    runId: string,
    kind: string,
    payload: Readonly<Record<string, string | undefined>>,
  ) => {
    const said = Object.fromEntries(
      Object.entries(payload).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    // A paused run reads its messages only when it may go on, or has to end.
    await store.send(runId, { kind, payload: said, reopens: kind !== 'pause' });
    await hint(runId);
  };

  const view: Runtime['view'] = async (runId, at = Number.POSITIVE_INFINITY) => {
    const run = await store.run(runId);
    if (run === undefined) throw noRun(runId);
    let state = initialState;
    while (state.seq < at) {
      const events = await store.events(runId, { after: state.seq, limit: page });
      for (const event of events) {
        if (event.seq > at) break;
        state = evolve(state, sound(event, runId));
      }
      if (events.length < page) break;
    }
    return { run, state, status: statusOf(state) };
  };

  const lookUntil = async (
    runId: string,
    isThere: (view: RunView) => boolean,
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
  ) => {
    for (let wait = shortestLook; ; wait = Math.min(longestLook, wait * 2)) {
      const seen = await view(runId);
      if (isThere(seen)) return seen;
      await sleep(wait, undefined, { signal });
    }
  };

  return {
    send,
    view,
    async launch(agent, input, { id = newId(), at, ...options } = {}) {
      const run = await store.createRun({
        id,
        agent,
        ...options,
        ...(at !== undefined && { wakeAt: at }),
        inbox: [{ kind: 'input', payload: { messages: toMessages(input) } }],
      });
      await hint(id, options.priority);
      return run;
    },
    async answer(runId, callId, { text, isError = false, key }) {
      const payload = {
        callId,
        ...(key !== undefined && { key }),
        outcome: isError ? 'error' : 'ok',
        content: [{ type: 'text', text }],
      };
      const isNew = await store.send(runId, {
        kind: 'result',
        payload,
        ...(key !== undefined && { source: `result:${key}` }),
      });
      await hint(runId);
      return isNew;
    },
    pause: (runId, { by, reason } = {}) => order(runId, 'pause', { by, reason }),
    resume: (runId, { by } = {}) => order(runId, 'continue', { by }),
    cancel: (runId, { by, reason } = {}) => order(runId, 'cancel', { by, reason }),
    async decide(...decisions) {
      const rows = await store.decide(decisions, now());
      for (const { runId } of rows) await hint(runId);
      return rows;
    },
    async fork(runId, { at, id = newId(), title }) {
      return store.fork({ runId, upTo: at, id, ...(title !== undefined && { title }) });
    },
    ended: (runId, options) => lookUntil(runId, hasEnded, options),
    settled: (runId, options) => lookUntil(runId, isSettled, options),
  };
}

/** Milliseconds between two looks at a run that is waited for. */
const shortestLook = 5;
const longestLook = 200;

function hasEnded({ run }: RunView): boolean {
  return run.state !== 'open' && run.state !== 'paused';
}

/** Over, or in the hands of somebody who is no worker. */
function isSettled(view: RunView): boolean {
  return hasEnded(view) || !['new', 'thinking', 'acting'].includes(view.status);
}

function toMessages(input: Input) {
  if (typeof input === 'string') return [userMessage(input)];
  return 'role' in input ? [input] : [...input];
}

function sound(
  event: RunEvent | { readonly seq: number; readonly broken: string },
  runId: string,
): RunEvent {
  if (!('broken' in event)) return event;
  throw new ForgeError(
    'invalid_event',
    `Event ${event.seq} of run ${runId} cannot be read: ${event.broken}`,
  );
}

function noRun(runId: string): ForgeError {
  return new ForgeError('not_found', `There is no run "${runId}".`);
}
