import { exactNumber } from './decimal.ts';

export type ParsedText =
  | { readonly ok: true; readonly value: unknown; readonly inexact: boolean }
  | { readonly ok: false; readonly reason: string };

/**
 * `JSON.parse` that says when it lost something: `inexact` is set if a whole number in the text
 * does not fit a double. Never throws.
 */
export function parseJsonText(text: string): ParsedText {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value, inexact: /\d{16}/.test(text) && quoteInexact(text) !== text };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : 'not JSON' };
  }
}

/**
 * The same, but with whole numbers too large for a double as strings of their digits: nothing is
 * lost, and where the schema asks for a string (an id, mostly) that is what was meant.
 */
export function parseKeepingDigits(text: string): ParsedText {
  const parsed = parseJsonText(text);
  return parsed.ok && parsed.inexact ? parseJsonText(quoteInexact(text)) : parsed;
}

/** Only for text that is JSON. */
function quoteInexact(text: string): string {
  let result = '';
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') {
      i = endOfString(text, i);
      continue;
    }
    if (!isNumberPart(text[i])) continue;
    const start = i;
    while (i + 1 < text.length && isNumberPart(text[i + 1])) i += 1;
    const token = text.slice(start, i + 1);
    if (!/^-?\d{16,}$/.test(token) || exactNumber(token) !== undefined) continue;
    result += `${text.slice(copied, start)}"${token}"`;
    copied = i + 1;
  }
  return result + text.slice(copied);
}

/** The index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}

function isNumberPart(character: string | undefined): boolean {
  return character !== undefined && /[-+.0-9eE]/.test(character);
}
