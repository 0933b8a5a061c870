import type { PgBoss } from 'pg-boss';
import { wakePayload } from './wake-up.ts';
import { queueName } from './wake-up-jobs.ts';

/** Few, so that other workers get their share of a flood. */
const batchSize = 50;

export interface JobTaker {
  /** Takes what is there. A call while it is at it makes it look once more. */
  look(): void;
  /** Resolves when it is at nothing. */
  settled(): Promise<void>;
}

/** Takes wake-ups out of pg-boss, highest priority first, until there are none. */
export function takeJobs(options: {
  readonly boss: PgBoss;
  readonly hear: (runId: string) => void;
  /** Whether anybody wants more. */
  readonly isWanted: () => boolean;
  readonly onError: (error: unknown) => void;
}): JobTaker {
  const { boss, hear, isWanted, onError } = options;
  let looking: Promise<void> | undefined;
  let again = false;

  // pg-boss keeps the errors of a fetch to itself.
  const db = {
    async executeSql(text: string, values?: unknown[]) {
      try {
        return await boss.getDb().executeSql(text, values);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };

  const takeBatch = async () => {
    const jobs = await boss.fetch(queueName, { batchSize, includeMetadata: true, db });
    if (jobs.length === 0) return;
    // The highest come in this batch, but within it in any order.
    jobs.sort((a, b) => b.priority - a.priority);
    for (const job of jobs) {
      const { data, error } = wakePayload.safeParse(job.data);
      if (data === undefined) onError(error);
      else hear(data.runId);
    }
    if (jobs.length === batchSize) again = true;
    // Deleted, not completed: nothing is left to be cleaned up. After a crash before this, the job
    // expires and goes.
    const ids = jobs.map(({ id }) => id);
    await boss.deleteJob(queueName, ids);
  };

  const takeAll = async () => {
    try {
      do {
        again = false;
        await takeBatch();
      } while (again && isWanted());
    } catch (error) {
      onError(error);
    } finally {
      looking = undefined;
    }
  };

  return {
    look() {
      again = true;
      looking ??= takeAll();
    },
    async settled() {
      while (looking !== undefined) await looking;
    },
  };
}
