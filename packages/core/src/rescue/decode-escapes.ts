const simple: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\\', '\\'],
  ['/', '/'],
]);

export interface Decoded {
  readonly value: string;
  /** False when some escape is not one of JSON's. */
  readonly valid: boolean;
}

/**
 * The escapes of a JSON string. What JSON does not know stays as it was written, backslash and
 * all: `C:\Users`, `\d+` and `\u12` are what a model meant when it forgot to escape. `\new` cannot
 * be told from a line break and is one.
 *
 * With `python`, `\xHH`, `\UHHHHHHHH` and `\0` are escapes too.
 */
export function decodeEscapes(raw: string, python: boolean): Decoded {
  let slash = raw.indexOf('\\');
  if (slash === -1) return { value: raw, valid: true };
  let value = '';
  let from = 0;
  let valid = true;
  while (slash !== -1) {
    const letter = raw.charAt(slash + 1);
    const plain = simple.get(letter);
    let used = 2;
    let decoded: string | undefined = plain;
    if (plain === undefined) {
      const width = hexWidth(letter, python);
      decoded = width === 0 ? undefined : hex(raw, slash + 2, width);
      used = 2 + width;
      if (letter !== 'u') valid = false;
      if (python && letter === '0') {
        decoded = '\0';
        used = 2;
      }
    } else if (letter === "'" || letter === '`') valid = false;
    if (decoded === undefined) {
      valid = false;
      slash = raw.indexOf('\\', slash + 1);
      continue;
    }
    value += raw.slice(from, slash) + decoded;
    from = slash + used;
    slash = raw.indexOf('\\', from);
  }
  return { value: value + raw.slice(from), valid };
}

function hexWidth(letter: string, python: boolean): number {
  if (letter === 'u') return 4;
  if (!python) return 0;
  if (letter === 'x') return 2;
  return letter === 'U' ? 8 : 0;
}

function hex(raw: string, at: number, width: number): string | undefined {
  const digits = raw.slice(at, at + width);
  if (digits.length < width) return undefined;
  for (let i = 0; i < width; i++) {
    const code = digits.charCodeAt(i) | 32;
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return undefined;
  }
  const point = Number.parseInt(digits, 16);
  return point > 0x10ffff
    ? undefined
    : width === 8
      ? String.fromCodePoint(point)
      : String.fromCharCode(point);
}
