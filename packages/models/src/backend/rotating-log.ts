import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/**
 * A log file of a bounded size. When it is full it becomes `FILE.1`, in the place of the one
 * before, and a new one begins. Writes are synchronous: what a server said last before it died is
 * what matters most.
 */
export class RotatingLog {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number;
  #size: number;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
  }

  write(chunk: Uint8Array | string) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
    // A chunk larger than a whole file keeps its end.
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#maxBytes));
    writeSync(this.#file, kept);
    this.#size += kept.length;
  }

  close() {
    closeSync(this.#file);
  }

  #rotate() {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}
