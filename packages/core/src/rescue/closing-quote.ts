import { isDigit, isWord, NEWLINE, skipSpace } from './chars.ts';
import { endsPayload } from './markers.ts';

/** What a string stands in: decides which characters may follow its closing quote. */
export type Inside = 'object' | 'array' | 'arguments';

/** A key longer than this is taken on trust. */
const KEY = 128;

/**
 * Whether the quote at `at` ends the string it stands in, or is one the model forgot to escape.
 * Decided by what follows: the rest of the value must go on as JSON (or a Python call) would.
 * In valid JSON the first unescaped quote always passes. Looks ahead a bounded number of
 * characters beyond white space.
 */
export function closesString(text: string, at: number, inside: Inside, depth: number): boolean {
  const next = skipSpace(text, at + 1);
  if (next >= text.length) return true;
  const code = text.charCodeAt(next);
  switch (code) {
    case 44: // ,
    case 59: // ;
    case 0xff0c: // ，
      return continues(text, next + 1, inside);
    case 125: // }
    case 0xff5d: // ｝
    case 93: // ]
      return depth <= 1 || closerHolds(text, next + 1);
    case 41: // )
      return inside === 'arguments' && parenHolds(text, next + 1);
    case 60: // <
      return endsPayload(text, next) || text.startsWith('<|"|>', next);
    case 96: // `
      return text.startsWith('```', next);
    case 47: // /
      return text.startsWith('//', next) || text.startsWith('/*', next);
    case 43: // +
      return inside === 'arguments' || isQuote(text.charCodeAt(skipSpace(text, next + 1)));
    default:
      break;
  }
  if (inside !== 'object') {
    // Strings on lines of their own are separate: joined by Python, or short of a comma.
    if (isQuote(code)) return hasNewline(text, at + 1, next);
    return inside === 'arguments' && startsOperation(text, next, code);
  }
  if (isQuote(code)) return startsKey(text, next, false);
  return hasNewline(text, at + 1, next) && startsBareKey(text, next, false);
}

function continues(text: string, at: number, inside: Inside): boolean {
  const next = skipSpace(text, at);
  if (next >= text.length) return true;
  const code = text.charCodeAt(next);
  if (code === 47 || code === 35 || code === 125 || code === 93 || code === 41) return true;
  if (code === 46) return text.startsWith('...', next) || inside !== 'object';
  if (code === 60) return endsPayload(text, next) || text.startsWith('<escape>', next);
  if (code === 44) return continues(text, next + 1, inside);
  if (isQuote(code)) return inside !== 'object' || startsKey(text, next, true);
  if (inside === 'object') return code === 92 || startsBareKey(text, next, false);
  if (isDigit(code) || code === 123 || code === 91 || code === 45 || code === 43) return true;
  if (inside === 'arguments') {
    return code === 42 || code === 40 || startsBareKey(text, next, true) || isLiteral(text, next);
  }
  return isLiteral(text, next);
}

/** `"…".format(…)`, `"…" % x`, `"…"[0]`: the string ends and something is done with it. */
function startsOperation(text: string, at: number, code: number): boolean {
  if (code === 37 || code === 91) return true;
  if (code !== 46) return false;
  let i = at + 1;
  while (i < at + 20 && isWord(text.charCodeAt(i))) i++;
  return i > at + 1 && text.charCodeAt(i) === 40;
}

/** After `}` or `]` inside a deeper value: more of the value, or its end. */
function closerHolds(text: string, at: number): boolean {
  const next = skipSpace(text, at);
  if (next >= text.length || hasNewline(text, at, next)) return true;
  const code = text.charCodeAt(next);
  if (isQuote(code)) return startsKey(text, next, false);
  return ',}])<;`，｝'.includes(text.charAt(next));
}

/** After `)`: the next call of a list, or its end. A quote means the string goes on. */
function parenHolds(text: string, at: number): boolean {
  const next = skipSpace(text, at);
  if (next >= text.length || hasNewline(text, at, next)) return true;
  return ',])<;`}'.includes(text.charAt(next));
}

export function isQuote(code: number): boolean {
  if (code < 128) return code === 34 || code === 39 || code === 96;
  return (code >= 0x2018 && code <= 0x201f) || code === 0xff02 || code === 0xff07;
}

/**
 * Whether a quoted key and a colon stand at `at`. A key that is too long to see the end of is
 * one only if `trusted`, where nothing but a key may stand.
 */
function startsKey(text: string, at: number, trusted: boolean): boolean {
  const quote = text.charCodeAt(at);
  const limit = Math.min(text.length, at + KEY);
  for (let i = at + 1; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === NEWLINE) return false;
    if (code === 92) i++;
    else if (quote < 128 ? code === quote : code >= 128 && isQuote(code)) {
      const colon = text.charCodeAt(skipSpace(text, i + 1));
      return isColon(colon) || (trusted && Number.isNaN(colon));
    }
  }
  return trusted;
}

/** Whether an unquoted key stands at `at`: a word and a colon, or a word and `=` in a call. */
function startsBareKey(text: string, at: number, call: boolean): boolean {
  const limit = Math.min(text.length, at + KEY);
  let i = at;
  while (i < limit && (isWord(text.charCodeAt(i)) || text.charCodeAt(i) === 45)) i++;
  if (i === at) return false;
  if (i >= text.length) return true;
  const after = text.charCodeAt(skipSpace(text, i));
  if (call) return after === 61 || after === 58;
  return isColon(after);
}

/** What stands between key and value, or is put there. */
function isColon(code: number): boolean {
  return code === 58 || code === 0xff1a || code === 61;
}

const words = ['true', 'false', 'null', 'True', 'False', 'None'];

function isLiteral(text: string, at: number): boolean {
  return words.some((word) => {
    if (!text.startsWith(word, at)) return false;
    const after = text.charCodeAt(at + word.length);
    return Number.isNaN(after) || !isWord(after);
  });
}

function hasNewline(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) === NEWLINE) return true;
  return false;
}
