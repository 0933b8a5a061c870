import type { JsonObject, JsonValue } from '../json.ts';
import { isSpace, isWord } from './chars.ts';
import type { Inside } from './closing-quote.ts';
import { endsPayload } from './markers.ts';
import { barewordEnd, readBareword } from './read-bareword.ts';
import { readString, type StringRead, startsString } from './read-string.ts';

/** Where the text ended: not inside the value, with only closers missing, or in the middle. */
export type Cut = 'no' | 'closers' | 'inside';

/** The text an object or array was read from. `clean` when nothing in it had to be mended. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly clean: boolean;
  /** Its own closing bracket was there. */
  readonly closed: boolean;
}

/** Deeper than this is no tool call. Bounds the recursion. */
const DEPTH = 200;

/**
 * Reads one value that was meant to be JSON (or Python literals) and makes the best of damage:
 * comments, trailing and missing commas, every kind of quotes, unquoted keys and values, raw
 * line breaks, wrong escapes, missing closers. One pass, no backtracking, never throws. Nothing
 * is evaluated.
 *
 * After `read`, `pos` is where the value ended and the flags tell how.
 */
export class ValueParser {
  readonly text: string;
  pos = 0;
  cut: Cut = 'no';
  /** What stands at `pos` cannot belong to the value. */
  broken = false;
  /** A `...` stood where a value was due. */
  placeholder = false;
  /** A name or expression stood where a Python literal was due. */
  expression = false;
  /** Unquoted words were taken as strings. */
  barewords = false;
  python = false;
  /** Characters that were read to no avail, over all values: bounds the going back. */
  rewound = 0;
  readonly repairs = new Set<string>();
  readonly spans = new Map<object, Span>();
  #damage = 0;
  /** The container that ended last did so with its own closer. */
  #closed = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The value at `at`; undefined if there is none. Flags and repairs start afresh. */
  read(at: number, { python = false }: { python?: boolean } = {}): JsonValue | undefined {
    this.reset(at, python);
    return this.value('array', 0);
  }

  reset(at: number, python: boolean): void {
    this.pos = at;
    this.cut = 'no';
    this.broken = false;
    this.placeholder = false;
    this.expression = false;
    this.barewords = false;
    this.python = python;
    this.repairs.clear();
    this.spans.clear();
  }

  value(inside: Inside, depth: number): JsonValue | undefined {
    this.trivia();
    const { text, pos } = this;
    if (pos >= text.length) {
      this.cut = 'inside';
      return undefined;
    }
    const code = text.charCodeAt(pos);
    if (code === 123 || code === 0xff5b) return this.#object(depth + 1);
    if (code === 91 || (code === 40 && this.python)) return this.#array(depth + 1);
    if (startsString(text, pos)) return this.#string(inside, depth, code);
    if (
      this.python &&
      isPrefix(code) &&
      (text.charCodeAt(pos + 1) === 34 || text.charCodeAt(pos + 1) === 39)
    ) {
      return this.#prefixed(inside, depth);
    }
    return this.#bareword(inside);
  }

  /** White space and comments. */
  trivia(): void {
    const { text } = this;
    let i = this.pos;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (isSpace(code)) continue;
      if (code === 35 || (code === 47 && text.charCodeAt(i + 1) === 47)) {
        const end = text.indexOf('\n', i);
        i = end === -1 ? text.length - 1 : end;
      } else if (code === 47 && text.charCodeAt(i + 1) === 42) {
        const end = text.indexOf('*/', i + 2);
        i = end === -1 ? text.length - 1 : end + 1;
      } else break;
      this.mend('comment');
    }
    this.pos = i;
  }

  mend(name: string): void {
    this.repairs.add(name);
    this.#damage++;
  }

  fail(): void {
    this.broken = true;
  }

  get stopped(): boolean {
    return this.broken || this.cut !== 'no';
  }

  #string(inside: Inside, depth: number, code: number): JsonValue {
    if (code === 34 && this.#holdsObject()) return this.#unescapedObject(depth);
    const read = this.#readString(this.pos, inside, depth);
    this.pos = read.end;
    if (read.repair !== undefined) this.mend(read.repair);
    if (!read.closed) this.cut = 'inside';
    else if (code !== 60) this.#skipWordQuote();
    let { value } = read;
    while (!this.stopped && this.#joins()) {
      const next = this.#readString(this.pos, inside, depth);
      this.pos = next.end;
      if (!next.closed) this.cut = 'inside';
      value += next.value;
      this.mend('joined_strings');
    }
    return value;
  }

  /** Gemma closes a string in other quotes once more with its own. */
  #skipWordQuote(): void {
    if (!this.text.startsWith('<|"|>', this.pos)) return;
    this.pos += 5;
    this.mend('word_quotes');
  }

  #readString(at: number, inside: Inside, depth: number): StringRead {
    const mayGoBack = this.rewound < 8 * this.text.length + 4096;
    const read = readString(this.text, at, { inside, depth, key: false, mayGoBack });
    this.rewound += (read.reach ?? read.end) - read.end;
    return read;
  }

  /** Another string directly behind one: after a `+`, or side by side in Python. */
  #joins(): boolean {
    const next = this.text.charCodeAt(this.pos);
    if (next === 44 || next === 58 || next === 93 || next === 125) return false;
    const back = this.pos;
    this.trivia();
    const plus = this.text.charCodeAt(this.pos) === 43;
    if (plus) {
      this.pos++;
      this.trivia();
    }
    if ((plus || this.python) && startsString(this.text, this.pos)) return true;
    this.pos = back;
    return false;
  }

  /** Python's `r"…"`, `b"…"`, `u"…"`, and `f"…"` where nothing is filled in. */
  #prefixed(inside: Inside, depth: number): JsonValue | undefined {
    const letter = this.text.charAt(this.pos).toLowerCase();
    const start = this.pos + 1;
    const read = this.#readString(start, inside, depth);
    const quotes = /^(?:"{3}|'{3})/.test(this.text.slice(start, start + 3)) ? 3 : 1;
    const raw = this.text.slice(start + quotes, read.closed ? read.end - quotes : read.end);
    if (letter === 'f' && raw.includes('{')) {
      this.fail();
      this.expression = true;
      return undefined;
    }
    this.pos = read.end;
    if (!read.closed) this.cut = 'inside';
    this.mend('string_prefix');
    return letter === 'r' ? raw : read.value;
  }

  /** `"{"city": …}"`: an object in quotes whose own quotes were not escaped. */
  #holdsObject(): boolean {
    const { text } = this;
    let i = this.pos + 1;
    if (text.charCodeAt(i) !== 123) return false;
    i++;
    while (isSpace(text.charCodeAt(i))) i++;
    return text.charCodeAt(i) === 34 && isWord(text.charCodeAt(i + 1));
  }

  #unescapedObject(depth: number): JsonValue {
    this.pos++;
    const value = this.#object(depth + 1);
    this.mend('unescaped_quotes');
    if (!this.stopped) {
      this.trivia();
      if (this.text.charCodeAt(this.pos) === 34) this.pos++;
    }
    return value;
  }

  #object(depth: number): JsonObject {
    const object: { [key: string]: JsonValue } = {};
    const start = this.pos;
    const damage = this.#damage;
    if (this.text.charCodeAt(start) !== 123) this.mend('full_width');
    this.pos++;
    if (depth > DEPTH) this.fail();
    let members = 0;
    this.#closed = false;
    while (!this.stopped && this.#member(object, depth, members)) members++;
    this.#span(object, start, damage);
    return object;
  }

  /** Reads `key: value` and what separates it from the next. False at the end of the object. */
  #member(object: { [key: string]: JsonValue }, depth: number, members: number): boolean {
    this.#commas(members);
    if (this.#closes(125)) return false;
    if (this.stopped) return false;
    const { text } = this;
    if (text.startsWith('...', this.pos)) {
      this.pos += 3;
      this.placeholder = true;
      return true;
    }
    const key = this.#key(depth);
    if (key === undefined) return false;
    this.trivia();
    const code = text.charCodeAt(this.pos);
    if (Number.isNaN(code)) {
      this.cut = 'inside';
      return false;
    }
    if (code === 58) this.pos++;
    else if (code === 0xff1a || code === 61) {
      this.pos++;
      if (text.charCodeAt(this.pos) === 62) this.pos++;
      this.mend(code === 61 ? 'equals_sign' : 'full_width');
    } else {
      this.fail();
      return false;
    }
    const value = this.value('object', depth);
    if (value !== undefined) put(object, key, value);
    return this.#afterItem('object');
  }

  #key(depth: number): string | undefined {
    const { text } = this;
    if (startsString(text, this.pos)) {
      const read = readString(text, this.pos, {
        inside: 'object',
        depth,
        key: true,
        mayGoBack: false,
      });
      this.pos = read.end;
      if (read.repair !== undefined) this.mend(read.repair);
      if (read.closed) return read.value;
      this.cut = 'inside';
      return undefined;
    }
    const start = this.pos;
    let i = start;
    while (i < text.length && i - start < 128 && isKeyChar(text.charCodeAt(i))) i++;
    this.pos = i;
    if (i >= text.length) this.cut = 'inside';
    else if (i === start) this.fail();
    if (this.stopped) return undefined;
    this.mend('unquoted_key');
    return text.slice(start, i);
  }

  #array(depth: number): JsonValue {
    const items: JsonValue[] = [];
    const start = this.pos;
    const damage = this.#damage;
    const closer = this.text.charCodeAt(start) === 40 ? 41 : 93;
    if (closer === 41) this.mend('tuple');
    this.pos++;
    if (depth > DEPTH) this.fail();
    this.#closed = false;
    while (!this.stopped) {
      this.#commas(items.length);
      if (this.#closes(closer) || this.stopped) break;
      const value = this.value(closer === 41 ? 'arguments' : 'array', depth);
      if (value !== undefined) items.push(value);
      if (!this.#afterItem('array')) break;
    }
    this.#span(items, start, damage);
    return items;
  }

  #span(container: object, start: number, damage: number): void {
    const clean = this.#damage === damage && this.#closed;
    this.spans.set(container, { start, end: this.pos, clean, closed: this.#closed });
    this.#closed = false;
  }

  /** Commas where none is due: before the first item, doubled, or before the closer. */
  #commas(items: number): void {
    this.trivia();
    let extra = items === 0 ? 0 : -1;
    for (;;) {
      const code = this.text.charCodeAt(this.pos);
      if (code !== 44 && code !== 0xff0c && code !== 59) break;
      if (code !== 44) this.mend(code === 59 ? 'semicolon' : 'full_width');
      this.pos++;
      extra++;
      this.trivia();
    }
    if (extra > 0) this.mend('extra_comma');
    // A bracket that was only opened says nothing of what was to come.
    if (items === 0 && this.pos >= this.text.length) this.cut = 'inside';
    if (extra >= 0 && items > 0) {
      const code = this.text.charCodeAt(this.pos);
      if (code === 125 || code === 93 || code === 41) this.mend('trailing_comma');
      else if (Number.isNaN(code)) this.cut = 'inside';
    }
  }

  /**
   * At a closer: its own is taken, another one or a marker means its own was left out, the end of
   * the text that it was cut off.
   */
  #closes(closer: number): boolean {
    const { text, pos } = this;
    if (pos >= text.length) {
      if (this.cut === 'no') this.cut = 'closers';
      return true;
    }
    const code = text.charCodeAt(pos);
    if (code === closer || (closer === 125 && code === 0xff5d)) {
      this.pos++;
      this.#closed = true;
      return true;
    }
    if (code === 125 || code === 93 || code === 41 || this.#atMarker(code)) {
      this.mend('missing_closer');
      return true;
    }
    return false;
  }

  #atMarker(code: number): boolean {
    if (code === 96) return this.text.startsWith('```', this.pos);
    if (code === 60 && !startsString(this.text, this.pos)) return endsPayload(this.text, this.pos);
    return false;
  }

  /** After a value: true when the container goes on (its loop then sees the comma or closer). */
  #afterItem(inside: 'object' | 'array'): boolean {
    if (this.stopped) return false;
    this.trivia();
    const { text, pos } = this;
    if (pos >= text.length) {
      this.cut = 'closers';
      return false;
    }
    const code = text.charCodeAt(pos);
    if (code === 44 || code === 125 || code === 93 || code === 0xff0c || code === 0xff5d)
      return true;
    if (code === 59 || this.#atMarker(code)) return true;
    if (code === 41 && this.python) return true;
    const more =
      inside === 'object' ? startsString(text, pos) || isKeyChar(code) : this.#startsValue();
    if (more && !this.python) {
      this.mend('missing_comma');
      return true;
    }
    this.fail();
    if (this.python) this.expression = true;
    return false;
  }

  #startsValue(): boolean {
    const code = this.text.charCodeAt(this.pos);
    return code === 123 || code === 91 || startsString(this.text, this.pos);
  }

  /** A few digits with a comma or closer right behind: what numbers mostly are. */
  #smallInteger(): number | undefined {
    const { text, pos } = this;
    const first = text.charCodeAt(pos) - 48;
    if (!(first >= 0 && first <= 9)) return undefined;
    let value = first;
    for (let i = pos + 1; i < pos + 9; i++) {
      const code = text.charCodeAt(i);
      if (code === 44 || code === 93 || code === 125) {
        if (first === 0 && i > pos + 1) return undefined;
        this.pos = i;
        return value;
      }
      if (!(code >= 48 && code <= 57)) return undefined;
      value = value * 10 + (code - 48);
    }
    return undefined;
  }

  #bareword(inside: Inside): JsonValue | undefined {
    const { text, pos } = this;
    const small = this.#smallInteger();
    if (small !== undefined) return small;
    const end = barewordEnd(text, pos, inside === 'arguments' || this.python);
    const raw = text.slice(pos, end).trim();
    const read = readBareword(raw, this.python);
    if (read.kind === 'expression') {
      this.fail();
      this.expression = this.python;
      return undefined;
    }
    this.pos = pos + raw.length;
    if (end >= text.length && this.pos === end) this.cut = 'inside';
    if (read.kind === 'placeholder') {
      this.placeholder = true;
      return undefined;
    }
    if (read.kind === 'text') {
      if (this.cut === 'inside') return undefined;
      this.mend('bareword');
      this.barewords = true;
      return read.value;
    }
    if (read.repair !== undefined) this.mend(read.repair);
    if (this.cut === 'inside' && typeof read.value !== 'number') this.cut = 'no';
    return read.value;
  }
}

/** Sets an own property whatever its name: `__proto__` is a key like any other. */
export function put(object: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else object[key] = value;
}

function isPrefix(code: number): boolean {
  const letter = code | 32;
  return letter === 114 || letter === 98 || letter === 117 || letter === 102;
}

function isKeyChar(code: number): boolean {
  return isWord(code) || code === 45 || code === 46;
}
