import * as z from 'zod';
import { lessonSchema } from '../learn/lesson.ts';
import { defaultRule, isSameRule, type Rule } from '../learn/rule.ts';
import { RuleAdviser } from '../learn/rule-adviser.ts';
import type { SharedState } from '../shared-state.ts';
import { usageReportSchema } from '../stats/usage-report.ts';
import { Asks } from './asks.ts';
import { EventBatch } from './event-batch.ts';
import {
  type FromPrimary,
  type FromWorker,
  progressSchema,
  type WorkerOptions,
} from './messages.ts';
import type { Port } from './port.ts';
import { createRemoteSlot } from './remote-slot.ts';

export interface WorkerState extends SharedState {
  /** For every message of the primary; those that are not for it are let pass. */
  receive(message: FromPrimary): void;
  /** The primary is gone: whoever waits for it is told so. */
  lose(): void;
}

/**
 * The shared state as a worker sees it: it asks the primary. Only advice is at hand, as it is
 * asked for before every request; the primary sends it when it changes. What is learned, it
 * learns from the events, so `observe` has nothing to do here.
 */
export function createWorkerState({
  port,
  options,
  rules,
}: {
  port: Port<FromWorker>;
  options: Pick<WorkerOptions, 'serialize' | 'sessions' | 'learn'>;
  rules: Readonly<Record<string, Rule>>;
}): WorkerState {
  const asks = new Asks(port);
  const events = new EventBatch((batch) => port.send({ type: 'events', ...batch }));
  const adviser = new RuleAdviser();
  const follow = (model: string, rule: Rule) => {
    if (isSameRule(rule, defaultRule)) adviser.delete(model);
    else adviser.set(model, rule);
  };
  for (const [model, rule] of Object.entries(rules)) follow(model, rule);
  const look = (what: 'report' | 'metrics' | 'lessons') =>
    asks.ask({ type: 'ask', id: asks.newId(), what });

  return {
    slot: options.serialize ? createRemoteSlot(port, asks) : undefined,
    sessions: options.sessions
      ? {
          async load(key) {
            const found = await asks.ask({ type: 'load', id: asks.newId(), key });
            return progressSchema.optional().parse(found ?? undefined);
          },
          save: (key, progress) => void port.send({ type: 'save', key, progress }),
        }
      : undefined,
    stats: {
      begin: () => events.begin(),
      record: (event) => events.add(event),
      // What this worker knows is sent first, and messages keep their order.
      async report() {
        void events.send();
        return usageReportSchema.parse(await look('report'));
      },
      async metrics() {
        void events.send();
        return z.string().parse(await look('metrics'));
      },
    },
    lessons:
      options.learn === undefined
        ? undefined
        : {
            advise: (model) => adviser.advise(model),
            observe: () => {},
            all: async () => z.record(z.string(), lessonSchema).parse(await look('lessons')),
          },
    receive(message) {
      if (message.type === 'rule') follow(message.model, message.rule);
      else if (message.type === 'done' || message.type === 'refused') asks.settle(message);
    },
    lose: () => asks.lose(),
    close: () => events.send(),
  };
}
