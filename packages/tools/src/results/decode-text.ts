export interface DecodedText {
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Some bytes were no characters and were replaced by U+FFFD. */
  readonly damaged: boolean;
}

/** Bytes as text: by their mark if they have one, else as UTF-8. A byte order mark of UTF-8 stays. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = encodingOf(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, encoding, damaged: false };
  } catch {
    const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    return { text, encoding, damaged: true };
  }
}

function encodingOf([first, second]: Uint8Array): DecodedText['encoding'] {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}

const looked = 8_000;

/** Bytes nobody reads: a NUL near the beginning, as git tells, unless they are marked as UTF-16. */
export function looksBinary(bytes: Uint8Array): boolean {
  return encodingOf(bytes) === 'utf-8' && bytes.subarray(0, looked).includes(0);
}

/** Without the pieces of characters that a cut left at its ends. */
export function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  let end = bytes.length;
  for (let back = 1; back <= 3 && back <= bytes.length - start; back++) {
    const byte = bytes[bytes.length - back];
    if (isContinuation(byte)) continue;
    if (lengthOf(byte) > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(start, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengthOf(first = 0): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
