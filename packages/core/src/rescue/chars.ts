/** Character tests on UTF-16 codes. They know no locale and never allocate. */

export const NEWLINE = 10;

export function isSpace(code: number): boolean {
  if (code === 32 || (code >= 9 && code <= 13)) return true;
  if (code < 160) return false;
  return (
    code === 160 ||
    code === 0xfeff ||
    code === 0x3000 ||
    (code >= 0x2000 && code <= 0x200b) ||
    code === 0x2028 ||
    code === 0x2029
  );
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/**
 * A character of an identifier: letters, digits, `_`, `$` and what is beyond Latin-1 except
 * spaces, typographic quotes and full-width punctuation, since tool names may be in any script.
 */
export function isWord(code: number): boolean {
  if (code < 128) return isLetter(code) || isDigit(code) || code === 95 || code === 36;
  if (code < 0xc0 || isSpace(code)) return false;
  if (code >= 0x2000 && code <= 0x2bff) return false;
  if (code >= 0x3000 && code <= 0x303f) return false;
  if (code >= 0xff00 && code <= 0xffef) return isFullWidthAlphanumeric(code);
  return true;
}

/** The pipe of special tokens, and its full-width form in DeepSeek's. */
export function isPipe(code: number): boolean {
  return code === 124 || code === 0xff5c;
}

/** A character that may stand inside a tool's name: identifiers, dots, hyphens, slashes, colons. */
export function isNameChar(code: number): boolean {
  return isWord(code) || code === 45 || code === 46 || code === 47 || code === 58;
}

function isFullWidthAlphanumeric(code: number): boolean {
  return (
    (code >= 0xff10 && code <= 0xff19) ||
    (code >= 0xff21 && code <= 0xff3a) ||
    (code >= 0xff41 && code <= 0xff5a) ||
    code >= 0xff66
  );
}

/** The first position from `at` that is not white space; the length of the text at most. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}

/** The first position of the line that holds `at`, looking back no further than `most`. */
export function lineStart(text: string, at: number, most: number): number | undefined {
  const floor = Math.max(0, at - most);
  for (let i = at - 1; i >= floor; i--) if (text.charCodeAt(i) === NEWLINE) return i + 1;
  return floor === 0 ? 0 : undefined;
}
