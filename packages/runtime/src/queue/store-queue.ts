import { ForgeError } from '@forge/core';
import type { Store } from '@forge/store';
import type { Queue, QueueOptions } from './queue.ts';
import { reportProblems } from './report-problems.ts';
import { createSubscribers } from './subscribers.ts';
import { toWakeUp, type WakeUp } from './wake-up.ts';

export interface StoreQueueOptions extends QueueOptions {
  readonly store: Pick<Store, 'onWake'>;
  readonly now?: () => number;
  /** The most wake-ups that wait; more are left out. Default 50,000. */
  readonly capacity?: number;
}

/**
 * The queue that needs nothing but the store, whose table of runs with their leases is the queue:
 * each write that makes a run due is told to this process at once and to others on the same
 * database soon, and that is what subscribers hear. `publish` adds only what the store knows
 * nothing of, and reaches this process; together with the store's own word for the same run it is
 * one wake-up.
 */
export function createStoreQueue(options: StoreQueueOptions): Queue {
  const { store, now = Date.now, capacity = 50_000 } = options;
  const problems = reportProblems(options);
  const subscribers = createSubscribers((error) => problems.tell('listener', error));
  const waiting = new Map<string, WakeUp>();
  const timers = new Map<string, NodeJS.Timeout>();
  let delivery: NodeJS.Immediate | undefined;
  let stopStore: (() => void) | undefined;
  let isClosed = false;

  const refuse = (message: string) =>
    problems.tell('publish', new ForgeError('not_allowed', message));

  const deliver = () => {
    delivery = undefined;
    if (subscribers.size === 0) return;
    const batch = [...waiting.values()].sort((a, b) => b.priority - a.priority);
    waiting.clear();
    problems.over();
    for (const wakeUp of batch) {
      // The last subscriber may have left while we were at it.
      if (!subscribers.tell(wakeUp.runId)) waiting.set(wakeUp.key, wakeUp);
    }
  };

  const put = (wakeUp: WakeUp) => {
    const known = waiting.get(wakeUp.key);
    if (known === undefined && waiting.size + timers.size >= capacity) {
      return refuse(
        `${capacity} wake-ups wait to be heard; more are left to the workers' own look.`,
      );
    }
    if (known === undefined || wakeUp.priority > known.priority) waiting.set(wakeUp.key, wakeUp);
    delivery ??= setImmediate(deliver);
  };

  const putLater = (wakeUp: WakeUp) => {
    if (timers.has(wakeUp.key)) return;
    if (waiting.size + timers.size >= capacity) {
      return refuse(
        `${capacity} wake-ups wait to be heard; more are left to the workers' own look.`,
      );
    }
    const timer = setTimeout(() => {
      timers.delete(wakeUp.key);
      put(toWakeUp(wakeUp.runId, { priority: wakeUp.priority }, 0));
    }, wakeUp.delay);
    timers.set(wakeUp.key, timer.unref());
  };

  return {
    async publish(runId, publishing = {}) {
      if (isClosed) return refuse('The queue is closed. Open another one to publish.');
      const wakeUp = toWakeUp(runId, publishing, now());
      if (wakeUp.delay > 0) putLater(wakeUp);
      else put(wakeUp);
    },
    subscribe(listener) {
      if (isClosed) throw new ForgeError('not_allowed', 'The queue is closed. Open another one.');
      const remove = subscribers.add(listener);
      stopStore ??= store.onWake((runIds) => {
        for (const runId of runIds ?? []) put(toWakeUp(runId, {}, 0));
      });
      if (waiting.size > 0) delivery ??= setImmediate(deliver);
      return () => {
        remove();
        if (subscribers.size > 0) return;
        stopStore?.();
        stopStore = undefined;
      };
    },
    async close() {
      isClosed = true;
      stopStore?.();
      subscribers.clear();
      for (const timer of timers.values()) clearTimeout(timer);
      clearImmediate(delivery);
      timers.clear();
      waiting.clear();
    },
  };
}
