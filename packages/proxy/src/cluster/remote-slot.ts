import { ForgeError, type Hold, type HoldOptions } from '@forge/core';
import type { Asks } from './asks.ts';
import type { FromWorker } from './messages.ts';
import type { Port } from './port.ts';

/** The primary's slot, as a worker uses it. Keeps the contract of the kernel's own. */
export function createRemoteSlot(
  port: Port<FromWorker>,
  asks: Asks,
): { acquire(options?: HoldOptions): Promise<Hold> } {
  /**
   * Asks, and gives up its place when the signal says so. The primary may just have granted it:
   * a release is right for both, and the answer that is on its way is nobody's.
   */
  const wait = async ({ message, hold, signal }: Waiting): Promise<void> => {
    const cancelled = () =>
      new ForgeError('cancelled', 'Cancelled while waiting for the slot.', {
        cause: signal?.reason,
      });
    if (signal?.aborted) throw cancelled();
    const onAbort = () => {
      void port.send({ type: 'release', hold });
      asks.drop(message.id, cancelled());
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await asks.ask(message);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };

  return {
    async acquire({ priority = 0, signal } = {}) {
      if (Number.isNaN(priority)) {
        throw new ForgeError('invalid_options', 'A priority is a number, higher first, not NaN.');
      }
      const hold = asks.newId();
      await wait({
        message: { type: 'acquire', id: hold, priority: finite(priority) },
        hold,
        signal,
      });
      return holdOf({ hold, signal, wait, newId: () => asks.newId(), port });
    },
  };
}

interface Waiting {
  readonly message: Extract<FromWorker, { type: 'acquire' | 'boundary' }>;
  /** The id of the acquire. */
  readonly hold: number;
  readonly signal: AbortSignal | undefined;
}

function holdOf({
  hold,
  signal,
  wait,
  newId,
  port,
}: {
  hold: number;
  signal: AbortSignal | undefined;
  wait: (waiting: Waiting) => Promise<void>;
  newId: () => number;
  port: Port<FromWorker>;
}): Hold {
  let isReleased = false;
  return {
    async boundary() {
      if (isReleased) return;
      await wait({ message: { type: 'boundary', id: newId(), hold }, hold, signal });
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      void port.send({ type: 'release', hold });
    },
  };
}

/** Infinity does not survive JSON. */
function finite(priority: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, priority));
}
