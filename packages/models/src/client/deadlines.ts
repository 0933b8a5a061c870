import { ModelError } from '../wire/model-error.ts';

export interface Timeouts {
  /** Milliseconds from sending a streamed request to the first piece of the reply. */
  readonly firstToken?: number;
  /** Milliseconds of silence in a stream that has begun. */
  readonly stall?: number;
  /** Milliseconds for one try from beginning to end. */
  readonly total?: number;
}

/** Local models load for minutes before the first token; nothing is silent that long after it. */
export const defaultTimeouts: Required<Timeouts> = {
  firstToken: 300_000,
  stall: 120_000,
  total: 1_800_000,
};

/** Milliseconds a server has to end a response that said all there was to say. */
const grace = 1000;

/** Calls back once after `ms`, unless it is cancelled by what it returns. */
export type StartTimer = (ms: number, onEnd: () => void) => () => void;

export const startRealTimer: StartTimer = (ms, onEnd) => {
  if (!Number.isFinite(ms)) return () => {};
  const timer = setTimeout(onEnd, Math.min(ms, 0x7fffffff));
  return () => clearTimeout(timer);
};

/**
 * The time limits of one try. `signal` aborts with the caller's reason or with a `timeout` error
 * that says which limit it was. `stop` must be called at the end; it closes what is still open.
 */
export class Deadlines {
  readonly #stop = new AbortController();
  readonly #startTimer: StartTimer;
  readonly #where: string;
  readonly #caller: AbortSignal;
  readonly #onAbort = () => this.#stop.abort(this.#caller.reason);
  readonly #cancelTotal: () => void;
  #cancelFirst: () => void;
  #cancelStall: (() => void) | undefined;
  #begun = false;
  #stall: number;

  constructor(options: {
    readonly caller: AbortSignal;
    readonly timeouts: Required<Timeouts>;
    readonly streamed: boolean;
    readonly where: string;
    readonly startTimer: StartTimer;
  }) {
    this.#caller = options.caller;
    this.#stall = options.timeouts.stall;
    this.#startTimer = options.startTimer;
    this.#where = options.where;
    const { total, firstToken } = options.timeouts;
    this.#caller.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#caller.aborted) this.#onAbort();
    this.#cancelTotal = this.#after(total, `was not complete after ${total} ms (total timeout)`);
    this.#cancelFirst = options.streamed
      ? this.#after(firstToken, `had not begun after ${firstToken} ms (first-token timeout)`)
      : () => {};
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The first piece of the reply is there: from now on silence is a stall. */
  begin() {
    if (this.#begun) return;
    this.#begun = true;
    this.#cancelFirst();
  }

  /** The reply is complete. The connection may still end in good order, but not hold us up. */
  complete() {
    this.begin();
    this.#stall = Math.min(this.#stall, grace);
  }

  /** The reader waits for bytes. Time it spends elsewhere is no stall. */
  wait() {
    if (!this.#begun) return;
    const stall = this.#stall;
    this.#cancelStall = this.#after(stall, `went silent for ${stall} ms (stall timeout)`);
  }

  heard() {
    this.#cancelStall?.();
    this.#cancelStall = undefined;
  }

  stop() {
    this.#cancelTotal();
    this.#cancelFirst();
    this.heard();
    this.#caller.removeEventListener('abort', this.#onAbort);
    this.#stop.abort('The try has ended.'); // No Error: its stack would cost more than the timers.
  }

  #after(ms: number, says: string): () => void {
    return this.#startTimer(ms, () =>
      this.#stop.abort(
        new ModelError({ kind: 'timeout', message: `The reply of ${this.#where} ${says}.` }),
      ),
    );
  }
}
