/** How many requests may be at work at once, and how many may wait for it. */
export interface Admission {
  /** Takes a place if one is free and nobody waits for it. Every place has to be given back. */
  tryEnter(): boolean;
  /**
   * Waits for a place. `onEnter` is called once it is there, later than this returns. Gives a
   * function that leaves the line (nothing, once in), or undefined if the line is full.
   */
  wait(onEnter: () => void): (() => void) | undefined;
  /** Gives a place back, held for so many milliseconds. The next in line has it. */
  leave(took: number): void;
  /** Milliseconds after which one who was sent away might find room: between 1 and 60 seconds. */
  retryAfter(): number;
  readonly inFlight: number;
  readonly waiting: number;
}

interface Waiter {
  readonly onEnter: () => void;
  before: Waiter | undefined;
  after: Waiter | undefined;
  isWaiting: boolean;
}

/** Of each new duration in the running mean; the last twenty or so count. */
const weight = 0.1;
const shortestWait = 1_000;
const longestWait = 60_000;

/**
 * First come, first served. All that is done at once is to count, so a request that finds room
 * pays nothing.
 */
export function createAdmission({
  concurrency,
  queue,
}: {
  readonly concurrency: number;
  readonly queue: number;
}): Admission {
  let inFlight = 0;
  let waiting = 0;
  let first: Waiter | undefined;
  let last: Waiter | undefined;
  let mean: number | undefined;

  function remove(waiter: Waiter): void {
    if (waiter.before === undefined) first = waiter.after;
    else waiter.before.after = waiter.after;
    if (waiter.after === undefined) last = waiter.before;
    else waiter.after.before = waiter.before;
    waiter.isWaiting = false;
    waiting -= 1;
  }

  return {
    tryEnter() {
      if (inFlight >= concurrency || first !== undefined) return false;
      inFlight += 1;
      return true;
    },
    wait(onEnter) {
      if (waiting >= queue) return undefined;
      const waiter: Waiter = { onEnter, before: last, after: undefined, isWaiting: true };
      if (last === undefined) first = waiter;
      else last.after = waiter;
      last = waiter;
      waiting += 1;
      return () => {
        if (waiter.isWaiting) remove(waiter);
      };
    },
    leave(took) {
      mean = mean === undefined ? took : mean + weight * (took - mean);
      inFlight -= 1;
      const next = first;
      if (next === undefined || inFlight >= concurrency) return;
      remove(next);
      inFlight += 1;
      next.onEnter();
    },
    retryAfter() {
      const rounds = (waiting + 1) / concurrency;
      const wait = rounds * (mean ?? shortestWait);
      return Math.round(Math.min(longestWait, Math.max(shortestWait, wait)));
    },
    get inFlight() {
      return inFlight;
    },
    get waiting() {
      return waiting;
    },
  };
}
