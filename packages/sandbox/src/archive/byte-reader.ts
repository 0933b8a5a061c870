import { badArchive } from './bad-archive.ts';

/** Takes a stream of chunks apart in pieces of any size, holding one chunk at a time. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes, or undefined if the stream ended right here. Short is an error. */
  async take(length: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = [];
    let missing = length;
    while (missing > 0) {
      const part = await this.some(missing);
      if (part === undefined) break;
      parts.push(part);
      missing -= part.length;
    }
    if (missing === length && length > 0) return undefined;
    if (missing > 0) throw badArchive('it ends in the middle of an entry.');
    return Buffer.concat(parts, length);
  }

  /** The next bytes, at most so many; undefined at the end. */
  async some(atMost: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const next = await this.#source.next();
      if (next.done) return undefined;
      this.#chunk = next.value;
    }
    const part = this.#chunk.subarray(0, atMost);
    this.#chunk = this.#chunk.subarray(part.length);
    return part;
  }

  /** Reads on to the end and throws it away. */
  async drain(): Promise<void> {
    while ((await this.some(Number.MAX_SAFE_INTEGER)) !== undefined);
  }

  /** Lets go of a stream that is not read to its end. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
