import { isSpace } from './chars.ts';
import { closesString, type Inside } from './closing-quote.ts';
import { decodeEscapes } from './decode-escapes.ts';
import { endsPayload } from './markers.ts';

export interface StringRead {
  readonly value: string;
  readonly end: number;
  /** False when the text ended inside the string. */
  readonly closed: boolean;
  readonly repair?: string;
  /** How far the text was read to find the end, where that lies beyond it. */
  readonly reach?: number;
}

export interface StringPlace {
  readonly inside: Inside;
  readonly depth: number;
  readonly key: boolean;
  /** A string that never ends may be taken to end at a closing tag inside it. */
  readonly mayGoBack: boolean;
}

/** Closing characters for each opening one. */
const closers: ReadonlyMap<number, string> = new Map([
  [34, '"'],
  [39, "'"],
  [96, '`'],
  [0x2018, "’‘'"],
  [0x2019, "’‘'"],
  [0x201c, '”“"'],
  [0x201d, '”“"'],
  [0x201e, '”“"'],
  [0xff02, '＂"'],
  [0xff07, "＇'"],
]);

/** Model tokens that stand for a quote. */
const wordQuotes = ['<escape>', '<|"|>'];

/** The end of a call in the formats that have them. */
const callEnd = /[}\]]{1,9}(?:<tool_call\|>|<end_function_call>)/;

export function startsString(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 34) return true;
  if (code === 60) return wordQuotes.some((quote) => text.startsWith(quote, at));
  if (code === 92) return text.charCodeAt(at + 1) === 34;
  return closers.has(code);
}

/**
 * The string that starts at `at`, in any of the quotes models use. Raw line breaks and control
 * characters are taken as they are; quotes the model forgot to escape are told from the closing
 * one by what follows. `key` strings end at their first quote.
 */
export function readString(text: string, at: number, place: StringPlace): StringRead {
  const code = text.charCodeAt(at);
  if (code === 60) {
    const quote = wordQuotes.find((word) => text.startsWith(word, at)) ?? '<escape>';
    return readUntil(text, at, quote, undefined);
  }
  if (code === 92) return readUntil(text, at, '\\"', 'escaped_quotes');
  if ((code === 34 || code === 39) && text.charCodeAt(at + 1) === code) {
    const triple = text.charAt(at).repeat(3);
    if (text.startsWith(triple, at)) return readTriple(text, at, triple);
  }
  return readQuoted(text, at, code === 34 ? '"' : (closers.get(code) ?? '"'), place);
}

function readQuoted(
  text: string,
  at: number,
  ends: string,
  { inside, depth, key, mayGoBack }: StringPlace,
): StringRead {
  const first = ends.charCodeAt(0);
  const more = ends.length > 1;
  const python = first === 39;
  let repair = first === 34 ? undefined : python || first === 96 ? 'single_quotes' : 'smart_quotes';
  let escapes = false;
  let tagEnd = -1;
  let i = at + 1;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 92) {
      escapes = true;
      i++;
    } else if (code === first || (more && ends.includes(text.charAt(i)))) {
      if (key || closesString(text, i, inside, depth)) {
        return decoded(text.slice(at + 1, i), i + 1, true, escapes, python, repair);
      }
      repair = 'unescaped_quotes';
    } else if (code < 32) {
      repair ??= 'raw_control';
    } else if (code === 60 && tagEnd === -1 && text.charCodeAt(i + 1) === 47) {
      if (endsPayload(text, i)) tagEnd = i;
    }
  }
  if (tagEnd !== -1 && mayGoBack) {
    // No quote closes it, but a closing tag stands inside: the quote was forgotten.
    let end = tagEnd;
    while (end > at + 1 && isLeftover(text.charCodeAt(end - 1))) end--;
    const raw = text.slice(at + 1, end);
    const found = decoded(raw, tagEnd, true, escapes, python, 'missing_quote');
    return { ...found, reach: text.length };
  }
  return decoded(text.slice(at + 1), text.length, false, escapes, python, repair);
}

/** Behind a string that lacks its quote: the closers of what it stands in. */
function isLeftover(code: number): boolean {
  return isSpace(code) || code === 125 || code === 93;
}

function decoded(
  raw: string,
  end: number,
  closed: boolean,
  escapes: boolean,
  python: boolean,
  repair: string | undefined,
): StringRead {
  let value = raw;
  let found = repair;
  if (escapes) {
    // A cut may leave half an escape behind.
    const whole = closed ? raw : raw.replace(/\\(?:u[\da-fA-F]{0,3})?$/, '');
    const result = decodeEscapes(whole, python);
    value = result.value;
    if (!result.valid) found ??= 'invalid_escape';
  }
  return { value, end, closed, repair: found };
}

function readUntil(
  text: string,
  at: number,
  quote: string,
  repair: string | undefined,
): StringRead {
  const from = at + quote.length;
  const found = text.indexOf(quote, from);
  const end = found === -1 ? text.length : found;
  const value = text.slice(from, end);
  const forgotten = repair === undefined ? value.search(callEnd) : -1;
  if (forgotten !== -1) {
    // The call ends inside the string: its closing quote was left out.
    return {
      value: value.slice(0, forgotten),
      end: from + forgotten,
      closed: true,
      repair: 'missing_quote',
      reach: end,
    };
  }
  return {
    value: repair === undefined ? value : decodeEscapes(value, false).value,
    end: found === -1 ? end : end + quote.length,
    closed: found !== -1,
    repair: repair ?? 'word_quotes',
  };
}

/** Python's triple quotes: everything up to the next three, one line break after them dropped. */
function readTriple(text: string, at: number, triple: string): StringRead {
  const from = at + 3;
  let end = text.indexOf(triple, from);
  const closed = end !== -1;
  if (!closed) end = text.length;
  while (closed && text.charAt(end + 3) === triple.charAt(0)) end++;
  const { value } = decodeEscapes(text.slice(from, end), true);
  return { value, end: closed ? end + 3 : end, closed, repair: 'triple_quotes' };
}
