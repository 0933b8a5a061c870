import { skipSpace, skipString, skipValue } from './skip-json.ts';
import { keysOf, type WantedKeys } from './wanted-keys.ts';

/** Where the wanted top-level values of a request stand in its bytes. */
export interface Peek {
  /** First byte and the one past the last. Undefined for a key that is not there. */
  span(key: string): readonly [number, number] | undefined;
  /** The value read. Undefined if the key is not there, or its value is no JSON. */
  value(key: string): unknown;
}

/** Tells the end of a value that is already known, so that it need not be walked. */
export type SkipKnown = (key: string, start: number) => number | undefined;

/**
 * Finds the values of top-level keys in the bytes of a JSON object, in one walk and without
 * reading any. Of a key that comes twice the last one counts, as for `JSON.parse`.
 *
 * Undefined for what is no object: something else, cut off, or broken between the values. What is
 * wrong inside a value is left for whoever reads that value. `wanted` must not change between
 * calls.
 */
export function peekRequest(
  bytes: Buffer,
  wanted: ReadonlySet<string>,
  skipKnown?: SkipKnown,
): Peek | undefined {
  const keys = keysOf(wanted);
  const spans: number[] = [];
  for (let n = keys.names.length; n > 0; n--) spans.push(-1, -1);
  let i = skipSpace(bytes, hasMark(bytes) ? 3 : 0);
  if (bytes[i] !== OPEN) return undefined;
  i = skipSpace(bytes, i + 1);
  if (bytes[i] === CLOSE) return endsAt(bytes, i + 1) ? new Spans(bytes, keys, spans) : undefined;
  for (;;) {
    if (bytes[i] !== QUOTE) return undefined;
    const keyEnd = skipString(bytes, i);
    if (keyEnd === -1) return undefined;
    const key = keys.find(bytes, i + 1, keyEnd - 1);
    i = skipSpace(bytes, keyEnd);
    if (bytes[i] !== COLON) return undefined;
    const start = skipSpace(bytes, i + 1);
    const end = valueEnd({ bytes, start, name: keys.names[key], skipKnown });
    if (end === -1) return undefined;
    if (key !== -1) {
      spans[2 * key] = start;
      spans[2 * key + 1] = end;
    }
    i = skipSpace(bytes, end);
    if (bytes[i] === CLOSE) break;
    if (bytes[i] !== COMMA) return undefined;
    i = skipSpace(bytes, i + 1);
  }
  return endsAt(bytes, i + 1) ? new Spans(bytes, keys, spans) : undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

class Spans implements Peek {
  readonly #bytes: Buffer;
  readonly #keys: WantedKeys;
  readonly #spans: readonly number[];

  constructor(bytes: Buffer, keys: WantedKeys, spans: readonly number[]) {
    this.#bytes = bytes;
    this.#keys = keys;
    this.#spans = spans;
  }

  span(key: string): readonly [number, number] | undefined {
    const at = 2 * this.#keys.names.indexOf(key);
    const start = this.#spans[at];
    const end = this.#spans[at + 1];
    return start === undefined || end === undefined || start === -1 ? undefined : [start, end];
  }

  value(key: string): unknown {
    const span = this.span(key);
    if (span === undefined) return undefined;
    try {
      return JSON.parse(this.#bytes.toString('utf8', span[0], span[1]));
    } catch {
      return undefined; // The backend says what is wrong with it.
    }
  }
}

function valueEnd({
  bytes,
  start,
  name,
  skipKnown,
}: {
  bytes: Buffer;
  start: number;
  name: string | undefined;
  skipKnown: SkipKnown | undefined;
}): number {
  const end = name === undefined ? undefined : skipKnown?.(name, start);
  return end !== undefined && end > start ? end : skipValue(bytes, start);
}

function hasMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function endsAt(bytes: Buffer, at: number): boolean {
  return skipSpace(bytes, at) === bytes.length;
}
