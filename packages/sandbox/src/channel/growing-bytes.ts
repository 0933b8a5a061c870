/** Bytes appended at the end, in one piece. Views that were given out stay as they are. */
export class GrowingBytes {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(more: Uint8Array): void {
    const length = this.#length + more.length;
    if (length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      wider.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = wider;
    }
    this.#bytes.set(more, this.#length);
    this.#length = length;
  }

  view(from = 0, to = this.#length): Uint8Array {
    return this.#bytes.subarray(from, to);
  }
}
