import { ForgeError } from '@forge/core';
import type { ProblemReport } from './report-problems.ts';
import type { WakeUp } from './wake-up.ts';

export interface Outbox {
  /** Resolves when it is sent or given up. */
  put(wakeUp: WakeUp): Promise<void>;
  /** Takes nothing more; resolves when all is sent or given up. */
  close(): Promise<void>;
}

export interface OutboxOptions {
  /** Sends a batch. What it throws is told; the batch is given up, and all that waits. */
  readonly send: (batch: readonly WakeUp[]) => Promise<void>;
  readonly problems: ProblemReport;
  /** The most in one batch. Default 500. */
  readonly batchSize?: number;
  /** The most that wait; more are given up. Default 50,000. */
  readonly capacity?: number;
}

interface Waiting {
  wakeUp: WakeUp;
  readonly sent: PromiseWithResolvers<void>;
}

/**
 * Sends one batch at a time; what comes meanwhile gathers, one wake-up per key. So a flood costs
 * few round trips and bounded memory, and a single wake-up goes out at once.
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { send, problems, batchSize = 500, capacity = 50_000 } = options;
  const waiting = new Map<string, Waiting>();
  let isClosed = false;
  let sending: Promise<void> | undefined;

  const take = (most: number): Waiting[] => {
    const taken: Waiting[] = [];
    for (const [key, next] of waiting) {
      if (taken.length === most) break;
      taken.push(next);
      waiting.delete(key);
    }
    return taken;
  };

  const sendAll = async () => {
    await Promise.resolve(); // What is put in the same breath goes along.
    while (waiting.size > 0) {
      const batch = take(batchSize);
      try {
        await send(batch.map(({ wakeUp }) => wakeUp));
      } catch (error) {
        problems.tell('publish', error);
        // What waits behind it would fare the same, one patience after the other.
        batch.push(...take(waiting.size));
      }
      for (const { sent } of batch) sent.resolve();
    }
    sending = undefined;
  };

  const refuse = (message: string) => {
    problems.tell('publish', new ForgeError('not_allowed', message));
    return Promise.resolve();
  };

  return {
    put(wakeUp) {
      if (isClosed) return refuse('The queue is closed. Open another one to publish.');
      const known = waiting.get(wakeUp.key);
      if (known !== undefined) {
        if (wakeUp.priority > known.wakeUp.priority) known.wakeUp = wakeUp;
        return known.sent.promise;
      }
      if (waiting.size >= capacity) {
        return refuse(
          `${capacity} wake-ups wait to be sent; more are left to the workers' own look.`,
        );
      }
      const sent = Promise.withResolvers<void>();
      waiting.set(wakeUp.key, { wakeUp, sent });
      sending ??= sendAll();
      return sent.promise;
    },
    async close() {
      isClosed = true;
      await sending;
    },
  };
}
