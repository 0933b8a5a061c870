import type { OutputChunk } from '../sandbox.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** Past so many changes between the streams only the order within each of them is kept. */
const mostRuns = 65_536;

/**
 * What a command printed, up to a limit. A reader follows along at its own pace; it holds nobody
 * up, for what it has not read yet is kept for the result anyway.
 */
export class OutputLog implements AsyncIterable<OutputChunk> {
  readonly #limit: number;
  readonly #kept = { stdout: new GrowingBytes(), stderr: new GrowingBytes() };
  /** Lengths, of stdout and stderr in turn. */
  readonly #runs: number[] = [0];
  #size = 0;
  #dropped = 0;
  #finished = false;
  #changed = Promise.withResolvers<void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get dropped(): number {
    return this.#dropped;
  }

  bytes(stream: OutputChunk['stream']): Uint8Array {
    return this.#kept[stream].view();
  }

  append(stream: OutputChunk['stream'], bytes: Uint8Array): void {
    const room = Math.min(bytes.length, this.#limit - this.#size);
    this.#dropped += bytes.length - room;
    if (room === 0) return;
    this.#size += room;
    this.#kept[stream].append(bytes.subarray(0, room));
    const last = this.#runs.length - 1;
    const side = last % 2 === 0 ? 'stdout' : 'stderr';
    if (side === stream) this.#runs[last] = (this.#runs[last] ?? 0) + room;
    else if (this.#runs.length < mostRuns) this.#runs.push(room);
    this.#wake();
  }

  finish(): void {
    this.#finished = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OutputChunk> {
    const read = { stdout: 0, stderr: 0 };
    let run = 0;
    let used = 0;
    while (true) {
      const stream = run % 2 === 0 ? 'stdout' : 'stderr';
      const size = (this.#runs[run] ?? 0) - used;
      if (size > 0) {
        used += size;
        read[stream] += size;
        yield { stream, bytes: this.#kept[stream].view(read[stream] - size, read[stream]) };
      } else if (run < this.#runs.length - 1) {
        run++;
        used = 0;
      } else if (this.#finished) break;
      else await this.#changed.promise;
    }
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#kept[stream].view(read[stream]);
      if (rest.length > 0) yield { stream, bytes: rest };
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
