/** Longer than any mark the loop makes. */
const longestMark = 4096;
const separator = 0x1e;
const newline = 0x0a;

export interface MarkEvents {
  data(bytes: Buffer): void;
  /** The words after the nonce. May set another nonce, which holds for what follows. */
  mark(words: readonly string[]): void;
}

/**
 * Tells marks from data in a stream of bytes that is cut anywhere. Only a mark with the nonce of
 * the moment is one; all else is data, also what looks like a mark. Holds back no more than could
 * still become a mark.
 */
export class MarkReader {
  readonly #events: MarkEvents;
  #needle: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string, events: MarkEvents) {
    this.#events = events;
    this.#needle = needleOf(nonce);
  }

  expect(nonce: string): void {
    this.#needle = needleOf(nonce);
  }

  push(chunk: Buffer): void {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (rest.length > 0) {
      const start = rest.indexOf(this.#needle);
      if (start === -1) {
        this.#hold(rest, rest.length - possibleStart(rest, this.#needle));
        return;
      }
      const end = rest.indexOf(newline, start);
      if (end === -1 && rest.length - start <= longestMark) {
        this.#hold(rest, start);
        return;
      }
      if (end === -1 || end - start > longestMark) {
        const past = start + this.#needle.length;
        this.#emit(rest.subarray(0, past));
        rest = rest.subarray(past);
        continue;
      }
      this.#emit(rest.subarray(0, start));
      const words = rest.toString('latin1', start + this.#needle.length, end).split(' ');
      rest = rest.subarray(end + 1);
      this.#events.mark(words);
    }
  }

  /** What was held back when the stream ends is data after all. */
  end(): void {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    this.#emit(held);
  }

  #hold(rest: Buffer, from: number): void {
    this.#emit(rest.subarray(0, from));
    // A copy: a view would keep the whole chunk alive.
    this.#held = Buffer.from(rest.subarray(from));
  }

  #emit(bytes: Buffer): void {
    if (bytes.length > 0) this.#events.data(bytes);
  }
}

function needleOf(nonce: string): Buffer {
  return Buffer.concat([Buffer.from([separator]), Buffer.from(`${nonce} `)]);
}

/** How many bytes at the end may be the beginning of the needle, which has one separator, its first byte. */
function possibleStart(bytes: Buffer, needle: Buffer): number {
  const start = bytes.lastIndexOf(separator);
  if (start === -1 || bytes.length - start >= needle.length) return 0;
  return bytes.subarray(start).equals(needle.subarray(0, bytes.length - start))
    ? bytes.length - start
    : 0;
}
