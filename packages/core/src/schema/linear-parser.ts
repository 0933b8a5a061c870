import type { Edge, Syntax } from './linear-syntax.ts';

const MAX_DEPTH = 200;

const group = /\((?:\?(?:(:)|(<?[=!])|<[^>]*>|([a-z-]+:)))?/y;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const reference = /\\(?:0\d+|[1-9]\d*|k<[^>]*>)/y;
const hex4 = '[0-9a-fA-F]{4}';
const escapes = String.raw`u${hex4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[\s\S]`;
const plainEscape = new RegExp(String.raw`\\(?:${escapes})`, 'y');
/** Two escaped surrogates are one character in Unicode mode. */
const pair = String.raw`u(?=[dD][89abAB])${hex4}\\u(?=[dD][c-fC-F])${hex4}`;
const unicodeEscape = new RegExp(String.raw`\\(?:u\{\w+\}|${pair}|[pP]\{[^}]*\}|${escapes})`, 'y');
/** Without the Unicode flag these are read in ways of their own. */
const oddEscape = /\\(?:k|c(?![a-zA-Z]))/y;

const edges: ReadonlyMap<string, Edge> = new Map([
  ['\\b', 'word'],
  ['\\B', 'inside'],
]);

/**
 * The syntax of a regular expression that `new RegExp` has accepted with the `u` flag
 * (`isUnicode`) or with none. Undefined for the few oddities not worth reading: groups nested very
 * deep, and without the flag `\k` and a `\c` that names no control character.
 */
export function parsePattern(source: string, isUnicode: boolean): Syntax | undefined {
  return new PatternParser(source, isUnicode).parse();
}

class PatternParser {
  readonly #source: string;
  readonly #isUnicode: boolean;
  #at = 0;
  #depth = 0;
  #isReadable = true;

  constructor(source: string, isUnicode: boolean) {
    this.#source = source;
    this.#isUnicode = isUnicode;
  }

  parse(): Syntax | undefined {
    const syntax = this.#choice();
    return this.#isReadable && this.#at === this.#source.length ? syntax : undefined;
  }

  #choice(): Syntax {
    const first = this.#sequence();
    if (!this.#sees('|')) return first;
    const options = [first];
    while (this.#sees('|')) {
      this.#at += 1;
      options.push(this.#sequence());
    }
    return { kind: 'choice', options };
  }

  #sequence(): Syntax {
    const parts: Syntax[] = [];
    while (this.#isReadable && this.#at < this.#source.length) {
      if (this.#sees('|') || this.#sees(')')) break;
      parts.push(this.#quantified(this.#atom()));
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
  }

  #quantified(body: Syntax): Syntax {
    const found = this.#take(quantifier);
    if (found === undefined) return body;
    const [, mark, least = '', comma, most] = found;
    if (mark === '?') return { kind: 'repeat', body, min: 0, max: 1 };
    const min = mark === undefined ? Number(least) : Number(mark === '+');
    if (mark === undefined && comma === undefined) return { kind: 'repeat', body, min, max: min };
    const max = most ? Number(most) : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', body, min, max };
  }

  #atom(): Syntax {
    switch (this.#source[this.#at]) {
      case '^':
        this.#at += 1;
        return { kind: 'edge', edge: 'start' };
      case '$':
        this.#at += 1;
        return { kind: 'edge', edge: 'end' };
      case '.':
        this.#at += 1;
        return { kind: 'set', source: '.' };
      case '[':
        return this.#set();
      case '(':
        return this.#group();
      case '\\':
        return this.#escape();
      default:
        return this.#character();
    }
  }

  #character(): Syntax {
    const point = this.#isUnicode
      ? this.#source.codePointAt(this.#at)
      : this.#source.charCodeAt(this.#at);
    this.#at += point !== undefined && point > 0xffff ? 2 : 1;
    return { kind: 'character', point: point ?? 0 };
  }

  #group(): Syntax {
    const [, , look, flags] = this.#take(group) ?? [];
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#isReadable = false;
    const body = this.#choice();
    this.#depth -= 1;
    this.#at += 1;
    if (flags !== undefined) return { kind: 'opaque', body };
    if (look === undefined) return body;
    const isBehind = look.startsWith('<');
    return { kind: 'look', body, isBehind, isNegated: look.endsWith('!') };
  }

  #set(): Syntax {
    const start = this.#at;
    while (this.#at < this.#source.length && !this.#sees(']')) this.#at += this.#sees('\\') ? 2 : 1;
    this.#at += 1;
    return { kind: 'set', source: this.#source.slice(start, this.#at) };
  }

  #escape(): Syntax {
    if (!this.#isUnicode && this.#take(oddEscape) !== undefined) this.#isReadable = false;
    if (this.#take(reference) !== undefined) return { kind: 'opaque', body: undefined };
    const source = this.#take(this.#isUnicode ? unicodeEscape : plainEscape)?.[0] ?? '';
    const edge = edges.get(source);
    if (edge !== undefined) return { kind: 'edge', edge };
    const isItself = source.length === 2 && /\W/.test(source.slice(1));
    return isItself ? { kind: 'character', point: source.charCodeAt(1) } : { kind: 'set', source };
  }

  #sees(character: string): boolean {
    return this.#source[this.#at] === character;
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}
