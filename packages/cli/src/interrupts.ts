/** Ctrl-C and SIGTERM, for commands that end in their own way. */
export interface Interrupts {
  /**
   * From now on they come here, with how many there were, and `signal` does not abort. Gives a way
   * to hand them back.
   */
  take(listener: (count: number) => void): () => void;
}

/** After so many nobody is waited for, whatever a command makes of them. */
const lastPress = 3;

/** Keeps count of interrupts, and says who is told of them. */
export class InterruptDesk implements Interrupts {
  readonly #controller = new AbortController();
  #count = 0;
  #listener: ((count: number) => void) | undefined;

  /** Aborts at the first one that no command has taken over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  take(listener: (count: number) => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** One more. False if nobody ends by it any more: then the process has to. */
  press(): boolean {
    this.#count += 1;
    if (this.#count >= lastPress) return false;
    if (this.#listener !== undefined) {
      this.#listener(this.#count);
      return true;
    }
    if (this.#controller.signal.aborted) return false;
    this.#controller.abort();
    return true;
  }

  /** Whoever calls the command as a function interrupts it by a signal: that is one. */
  static of(signal: AbortSignal): InterruptDesk {
    const desk = new InterruptDesk();
    if (signal.aborted) desk.press();
    else signal.addEventListener('abort', () => desk.press(), { once: true });
    return desk;
  }
}
