/**
 * Writes the pieces of a text as they come and gives out what `pieces.map(trim).join('\n')`
 * will start with: white space only once something follows it, a line break between pieces.
 */
export class TrimmedWriter {
  #space = '';
  #inPiece = false;
  #written = false;

  write(text: string): string {
    const trimmed = text.trimEnd();
    if (trimmed === '') {
      if (this.#inPiece) this.#space += text;
      return '';
    }
    const start = this.#inPiece ? this.#space + trimmed : trimmed.trimStart();
    const out = !this.#inPiece && this.#written ? `\n${start}` : start;
    this.#space = text.slice(trimmed.length);
    this.#inPiece = true;
    this.#written = true;
    return out;
  }

  /** The piece is over; the next one stands on a line of its own. */
  endPiece(): void {
    this.#space = '';
    this.#inPiece = false;
  }
}
