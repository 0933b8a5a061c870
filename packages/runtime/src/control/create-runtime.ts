import { randomUUID } from 'node:crypto';
import { userMessage } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import type { Queue } from '../queue/queue.ts';
import { RunReader } from './run-reader.ts';
import { RunWaiter } from './run-waiter.ts';
import type { Input, Runtime, RunView } from './runtime.ts';

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
    // A run that ended before it heard this has to be woken: nobody works on it any more. Also when it
    // is said again: who said it first may have died before this.
    const run = await store.run(runId);
    const isOver = run?.state === 'completed' || run?.state === 'failed';
    if (isOver && (await store.inbox(runId, 1)).length > 0) {
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

  /** From the top down: what is paused begins nothing below it. */
  const orderFamily = async (
    rootId: string,
    kind: 'pause' | 'continue',
    payload: Readonly<Record<string, string | undefined>>,
  ) => {
    const states = kind === 'pause' ? (['open'] as const) : (['open', 'paused', 'dead'] as const);
    const found: RunRow[] = [];
    for (let after: string | undefined; ; ) {
      const page = await store.runs({ rootId, states }, after === undefined ? {} : { after });
      found.push(...page.items);
      after = page.next;
      if (after === undefined) break;
    }
    found.sort((a, b) => a.createdAt - b.createdAt);
    for (const run of found) await order(run.id, kind, payload);
  };

  const view: Runtime['view'] = (runId, at) => new RunReader(store, runId).read(at);
  const waiter = new RunWaiter(store);

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
    pauseFamily: (rootId, { by, reason } = {}) => orderFamily(rootId, 'pause', { by, reason }),
    resumeFamily: (rootId, { by } = {}) => orderFamily(rootId, 'continue', { by }),
    verdict: (runId, { verdict, by, note }) => order(runId, 'verdict', { verdict, by, note }),
    async decide(...decisions) {
      const rows = await store.decide(decisions, now());
      for (const { runId } of rows) await hint(runId);
      return rows;
    },
    async fork(runId, { at, id = newId(), title }) {
      return store.fork({ runId, upTo: at, id, ...(title !== undefined && { title }) });
    },
    ended: (runId, options) => waiter.until(runId, hasEnded, options),
    settled: (runId, options) => waiter.until(runId, isSettled, options),
  };
}

function hasEnded({ run }: RunView): boolean {
  return run.state !== 'open' && run.state !== 'paused';
}

/** Over, or in the hands of somebody else than the worker that has it. */
function isSettled(view: RunView): boolean {
  return hasEnded(view) || !['new', 'thinking', 'acting'].includes(view.status);
}

function toMessages(input: Input) {
  if (typeof input === 'string') return [userMessage(input)];
  return 'role' in input ? [input] : [...input];
}
