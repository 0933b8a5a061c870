import type { Socket } from 'node:net';

/** What has gone through all connections of a proxy, with an end to it. */
export class Traffic {
  readonly #most: number;
  readonly #full: () => void;
  #received = 0;
  #sent = 0;

  /** `full` is called whenever there is more than `most` bytes, both ways together. */
  constructor(most: number, full: () => void) {
    this.#most = most;
    this.#full = full;
  }

  total(): { readonly receivedBytes: number; readonly sentBytes: number } {
    return { receivedBytes: this.#received, sentBytes: this.#sent };
  }

  /** Whether no more may go through. */
  get isFull(): boolean {
    return this.#received + this.#sent > this.#most;
  }

  /** Counts what comes from the far end of a connection, and what goes to it. */
  watch(far: Socket): void {
    let [read, written] = [0, 0];
    const look = () => {
      this.#received += far.bytesRead - read;
      this.#sent += far.bytesWritten - written;
      read = far.bytesRead;
      written = far.bytesWritten;
      if (this.isFull) this.#full();
    };
    const timer = setInterval(look, 200);
    far.once('close', () => {
      clearInterval(timer);
      look();
    });
  }
}
