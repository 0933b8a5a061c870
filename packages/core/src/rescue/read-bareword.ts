import type { JsonValue } from '../json.ts';
import { isLetter, isSpace, NEWLINE } from './chars.ts';

/** A value written without quotes. `certain` is false when the text ended right behind it. */
export type Bareword =
  | { readonly kind: 'value'; readonly value: JsonValue; readonly repair?: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'placeholder' }
  | { readonly kind: 'expression' };

const literals: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Python's and JavaScript's spellings. What JSON cannot hold becomes null. */
const foreignLiterals: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['TRUE', true],
  ['FALSE', false],
  ['NULL', null],
  ['nil', null],
  ['undefined', null],
  ['NaN', null],
  ['nan', null],
  ['Infinity', null],
  ['-Infinity', null],
]);

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const looseNumber = /^[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?$/;
const hexNumber = /^[+-]?0[xX][\da-fA-F_]+$/;
const padded = /^[+-]?0\d/;
const paddedInteger = /^0\d{1,15}$/;

/** `07`: a number to some and a code to others, which only the schema can tell. */
export function isPadded(value: unknown): boolean {
  return typeof value === 'string' && paddedInteger.test(value);
}

/** Longer than this is prose, not a value. */
const MOST = 400;

/**
 * The end of an unquoted value that starts at `at`: a comma, a closer, a line end, a comment, or
 * a tag. With `call` a `)` ends it too.
 */
export function barewordEnd(text: string, at: number, call: boolean): number {
  const limit = Math.min(text.length, at + MOST);
  let i = at;
  for (; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 44 || code === 125 || code === 93 || code === NEWLINE) break;
    if (code === 60 || code === 0xff0c || code === 0xff5d) break;
    if (code === 41 && call) break;
    if ((code === 35 || code === 47) && i > at && isSpace(text.charCodeAt(i - 1))) {
      if (code === 35 || text.charCodeAt(i + 1) === 47 || text.charCodeAt(i + 1) === 42) break;
    }
  }
  return i;
}

/** What an unquoted piece of text says. Names and expressions are never evaluated. */
export function readBareword(raw: string, python: boolean): Bareword {
  const literal = literals.get(raw);
  if (literal !== undefined) return { kind: 'value', value: literal };
  if (plainNumber.test(raw)) return { kind: 'value', value: Number(raw) };
  const foreign = foreignLiterals.get(raw);
  if (foreign !== undefined) return { kind: 'value', value: foreign, repair: 'python_literal' };
  if (raw === '...' || raw === '…' || raw === 'Ellipsis') return { kind: 'placeholder' };
  if (!padded.test(raw) || raw.includes('.')) {
    if (looseNumber.test(raw)) {
      return { kind: 'value', value: Number(raw.replaceAll('_', '')), repair: 'number' };
    }
  }
  if (hexNumber.test(raw)) {
    const negative = raw.startsWith('-');
    const digits = Number(raw.replaceAll(/[_+-]/g, ''));
    return { kind: 'value', value: negative ? -digits : digits, repair: 'number' };
  }
  return readWords(raw, python);
}

function readWords(raw: string, python: boolean): Bareword {
  if (raw === '') return { kind: 'expression' };
  let letters = 0;
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    if (isLetter(code) || code > 127) letters++;
    if (code === 34 || code === 123 || code === 91 || code === 40) return { kind: 'expression' };
    if (python && (code === 39 || code === 43 || code === 42 || code === 46 || code === 61)) {
      return { kind: 'expression' };
    }
    if (code === 58 && !isColonInside(raw, i)) return { kind: 'expression' };
  }
  return letters === 0 && python && !isPadded(raw)
    ? { kind: 'expression' }
    : { kind: 'text', value: raw };
}

/** `12:30`, `https://…` and `C:\…` hold a colon that separates nothing. */
function isColonInside(raw: string, at: number): boolean {
  const next = raw.charCodeAt(at + 1);
  return !Number.isNaN(next) && !isSpace(next);
}
