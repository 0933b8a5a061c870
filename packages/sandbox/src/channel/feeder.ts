import type { Channel } from './channel.ts';

export interface JobInput {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** A word no input holds: what follows the input. */
  readonly end: string;
}

/** Larger pieces cost fewer round trips; smaller ones less memory. */
const chunkBytes = 1 << 20;

/** Sends the input piece by piece, each after the one before was taken, until the job has ended. */
export class Feeder {
  readonly #channel: Channel;
  readonly #input: JobInput;
  #stopped = Promise.withResolvers<'stopped'>();
  #taken = Promise.withResolvers<'taken'>();
  #done = false;

  constructor(channel: Channel, input: JobInput) {
    this.#channel = channel;
    this.#input = input;
  }

  start(): void {
    void this.#pump();
  }

  taken(): void {
    this.#taken.resolve('taken');
  }

  /** Ends the input where it is: the loop reads on behind it. */
  stop(): void {
    this.#stopped.resolve('stopped');
    this.#close();
  }

  async #pump(): Promise<void> {
    const iterator = this.#input.bytes[Symbol.asyncIterator]();
    try {
      while (!this.#done) {
        const next = await Promise.race([iterator.next(), this.#stopped.promise]);
        if (next === 'stopped' || next.done === true) return;
        if (!(await this.#give(next.value))) return;
      }
    } catch {
      // A source that fails ends the input; whoever gave it hears of the failure from the source.
    } finally {
      this.#close();
      // A source that is asked to end while it is read may answer late, or never.
      void Promise.resolve(iterator.return?.()).catch(() => {});
    }
  }

  async #give(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      if (this.#done) return false;
      const piece = bytes.subarray(at, at + chunkBytes);
      this.#taken = Promise.withResolvers();
      this.#channel.write(`${piece.length}\n`);
      this.#channel.write(piece);
      if ((await Promise.race([this.#taken.promise, this.#stopped.promise])) === 'stopped')
        return false;
    }
    return true;
  }

  #close(): void {
    if (this.#done) return;
    this.#done = true;
    // One line more: some `sed` looks at the next before it ends.
    this.#channel.write(`\n${this.#input.end}\n\n`);
  }
}
