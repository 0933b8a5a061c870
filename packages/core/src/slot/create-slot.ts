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
  /** Gives the slot up. Safe to call twice. */
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
  const wait = (priority: number, order: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(
          new ForgeError('cancelled', 'Cancelled while waiting for the slot.', {
            cause: signal?.reason,
          }),
        );
      };
      const waiter: Waiter = {
        priority,
        order,
        grant: () => {
          signal?.removeEventListener('abort', leave);
          holding += 1;
          resolve();
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      if (stopped) return waiter.refuse(stoppedError());
      if (signal?.aborted)
        return reject(
          new ForgeError('cancelled', 'Cancelled before waiting for the slot.', {
            cause: signal.reason,
          }),
        );
      signal?.addEventListener('abort', leave, { once: true });
      const at = queue.findIndex((other) => isBefore(waiter, other));
      queue.splice(at === -1 ? queue.length : at, 0, waiter);
      serve();
    });

  const serve = () => {
    while (holding < size && queue.length > 0) queue.shift()?.grant();
    if (holding === 0) for (const done of drained.splice(0)) done();
  };

  const giveUp = () => {
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
      const order = arrivals++;
      await wait(priority, order, signal);
      let held = true;
      return {
        async boundary() {
          if (stopped) throw stoppedError();
          const first = queue[0];
          if (!held || first === undefined || first.priority <= priority) return;
          held = false;
          giveUp();
          await wait(priority, order, signal);
          held = true;
        },
        release() {
          if (!held) return;
          held = false;
          giveUp();
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
