import { ForgeError } from '../errors.ts';

export interface SlotOptions {
  /** Runs that may hold the slot at once. Default 1. */
  readonly size?: number;
}

export interface HoldOptions {
  /** Higher goes first. Default 0. */
  readonly priority?: number;
  readonly signal?: AbortSignal;
}

/** The right to use the model, until `release`. */
export interface Hold {
  /**
   * Call it between two uses. Returns at once, unless a run of higher priority is waiting:
   * then that one goes first, and this resolves when the slot is back.
   */
  boundary(): Promise<void>;
  /** Gives the slot up, or its place in the queue. Safe to call twice. */
  release(): void;
}

export interface Slot {
  acquire(options?: HoldOptions): Promise<Hold>;
  readonly holding: number;
  readonly waiting: number;
  /**
   * Ends it: everyone waiting is refused with `slot_stopped`, holders at their next boundary.
   * Resolves when the last holder has let go.
   */
  stop(): Promise<void>;
}

interface Waiter {
  readonly priority: number;
  readonly order: number;
  readonly grant: () => void;
  readonly refuse: (error: ForgeError) => void;
}

/** What one `acquire` stands for, from its first place in the queue to its release. */
interface Holder {
  readonly priority: number;
  readonly order: number;
  readonly signal?: AbortSignal;
  held: boolean;
  /** Leaves the queue, while it is in it. */
  leave?: (error: ForgeError) => void;
}

/**
 * One model slot shared by several runs. Equals take turns in the order they came, a higher
 * priority goes before all lower ones and takes over at a holder's next boundary; the run it
 * displaced comes back before its equals.
 *
 * @example
 * const slot = createSlot();
 * await Promise.all([run(a, 'x', { model, slot }), run(b, 'y', { model, slot, priority: 1 })]);
 */
export function createSlot({ size = 1 }: SlotOptions = {}): Slot {
  if (!Number.isInteger(size) || size < 1) {
    throw new ForgeError(
      'invalid_options',
      `A slot's size is a whole number of at least 1, not ${size}.`,
    );
  }
  const queue: Waiter[] = [];
  const drained: (() => void)[] = [];
  let holding = 0;
  let arrivals = 0;
  let stopped = false;

  const stoppedError = () =>
    new ForgeError('slot_stopped', 'The slot was stopped. Make a new one to go on.');

  /** Order: a displaced run is older than everyone who came after it, so it goes first among equals. */
  const wait = (holder: Holder) =>
    new Promise<void>((resolve, reject) => {
      const { priority, order, signal } = holder;
      const cancelled = () =>
        new ForgeError('cancelled', 'Cancelled while waiting for the slot.', {
          cause: signal?.reason,
        });
      if (stopped) return reject(stoppedError());
      if (signal?.aborted) return reject(cancelled());
      const onAbort = () => holder.leave?.(cancelled());
      const settle = () => {
        signal?.removeEventListener('abort', onAbort);
        holder.leave = undefined;
      };
      const waiter: Waiter = {
        priority,
        order,
        // Counted as held from here on: a release between this and the next turn must find it so.
        grant: () => {
          settle();
          holding += 1;
          holder.held = true;
          resolve();
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      holder.leave = (error) => {
        queue.splice(queue.indexOf(waiter), 1);
        waiter.refuse(error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const at = queue.findIndex((other) => isBefore(waiter, other));
      queue.splice(at === -1 ? queue.length : at, 0, waiter);
      serve();
    });

  const serve = () => {
    while (holding < size && queue.length > 0) queue.shift()?.grant();
    if (holding === 0) for (const done of drained.splice(0)) done();
  };

  const giveUp = (holder: Holder) => {
    holder.held = false;
    holding -= 1;
    serve();
  };

  return {
    get holding() {
      return holding;
    },
    get waiting() {
      return queue.length;
    },
    async acquire({ priority = 0, signal } = {}) {
      if (Number.isNaN(priority)) {
        throw new ForgeError('invalid_options', 'A priority is a number, higher first, not NaN.');
      }
      const holder: Holder = { priority, order: arrivals++, signal, held: false };
      await wait(holder);
      return {
        async boundary() {
          if (stopped) throw stoppedError();
          const first = queue[0];
          if (!holder.held || first === undefined || first.priority <= priority) return;
          giveUp(holder);
          await wait(holder);
        },
        release() {
          if (holder.held) giveUp(holder);
          holder.leave?.(new ForgeError('cancelled', 'Released while waiting for the slot.'));
        },
      };
    },
    stop() {
      stopped = true;
      for (const waiter of queue.splice(0)) waiter.refuse(stoppedError());
      return new Promise((resolve) => {
        drained.push(resolve);
        serve();
      });
    },
  };
}

function isBefore(a: Waiter, b: Waiter): boolean {
  return a.priority !== b.priority ? a.priority > b.priority : a.order < b.order;
}
