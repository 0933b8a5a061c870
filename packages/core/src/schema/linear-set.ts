const UNKNOWN = 0;
const YES = 1;
const NO = 2;

/** The characters that one part of a pattern takes (`[^a-z]`, `\d`, `.`), as JavaScript reads it. */
export class CharacterSet {
  readonly #expression: RegExp;
  /** Answers for ASCII, as they become known. */
  readonly #ascii = new Uint8Array(128);

  constructor(source: string, isUnicode: boolean) {
    this.#expression = new RegExp(source, isUnicode ? 'u' : '');
  }

  has(point: number): boolean {
    const known = this.#ascii[point] ?? UNKNOWN;
    if (known !== UNKNOWN) return known === YES;
    const answer = this.#expression.test(String.fromCodePoint(point));
    if (point < 128) this.#ascii[point] = answer ? YES : NO;
    return answer;
  }
}
