import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/**
 * A log file of a bounded size. When it is full it becomes `FILE.1`, in the place of the one
 * before, and a new one begins. Writes are synchronous: what a server said last before it died is
 * what matters most. A line that cannot be written (a full disk, a folder that is gone) is lost, and
 * nothing else: whoever writes here looks after a server.
 */
export class RotatingLog {
  readonly #path: string;
  readonly #maxBytes: number;
  /** None after a failure, until it can be opened again. */
  #file: number | undefined;
  #size = 0;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = this.#open();
  }

  write(chunk: Uint8Array | string) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    try {
      if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
      // A chunk larger than a whole file keeps its end.
      const kept = bytes.subarray(Math.max(0, bytes.length - this.#maxBytes));
      this.#file ??= this.#open();
      writeSync(this.#file, kept);
      this.#size += kept.length;
    } catch {
      // Lost.
    }
  }

  close() {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    const file = openSync(this.#path, 'a', 0o600);
    this.#size = fstatSync(file).size;
    return file;
  }

  #rotate() {
    this.close();
    this.#size = 0;
    renameSync(this.#path, `${this.#path}.1`);
  }
}
