import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { ProblemReport } from './report-problems.ts';
import type { WakeUp } from './wake-up.ts';

/** The queue of pg-boss that wake-ups are jobs of. */
export const queueName = 'wake-ups';

/** Makes the tables and the queue, as often as it takes. False if the signal aborts before. */
export async function startBoss(
  boss: PgBoss,
  problems: ProblemReport,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await boss.start();
      // `short`: of one key, one job waits; any number may be in hand.
      await boss.createQueue(queueName, {
        policy: 'short',
        retryLimit: 0,
        expireInSeconds: 30,
        retentionSeconds: 3_600,
        deleteAfterSeconds: 60,
      });
      problems.over();
      return true;
    } catch (error) {
      problems.tell('connection', error);
      await pause(500, undefined, { signal }).catch(() => {}); // An abort ends the pause.
    }
  }
  return false;
}

/** The job of a wake-up. */
export function toJob({ runId, priority, delay, key }: WakeUp) {
  return {
    data: { runId },
    priority,
    singletonKey: key,
    // In seconds, by the database's clock.
    ...(delay > 0 && { startAfter: delay / 1_000 }),
  };
}
