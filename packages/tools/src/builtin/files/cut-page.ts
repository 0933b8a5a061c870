import { wholeCharacters } from '../../results/decode-text.ts';

export interface PageRequest {
  /** The first line, counted from 1. */
  readonly offset: number;
  /** Lines. */
  readonly limit: number;
  /** The first byte, if the page was asked for by bytes. */
  readonly byteOffset?: number | undefined;
}

export interface CutPage {
  readonly bytes: Uint8Array;
  /** What is missing and how to get it. */
  readonly notes: readonly string[];
}

/** What is shown of what was read, and what to do for the rest. */
export function cutPage(
  bytes: Uint8Array,
  {
    offset,
    limit,
    byteOffset,
    maxBytes,
    size,
  }: PageRequest & { readonly maxBytes: number; readonly size: number },
): CutPage {
  const cap = `WARNING: File truncated at ${Math.floor(maxBytes / 1024)}KB`;
  if (byteOffset !== undefined) {
    const shown = wholeCharacters(bytes.subarray(0, maxBytes));
    const from = byteOffset + shown.byteOffset - bytes.byteOffset;
    const end = from + shown.length;
    const more = end < size ? ` Read on with byte_offset ${end}.` : '';
    return { bytes: shown, notes: [`Bytes ${from} to ${end} of ${size}.${more}`] };
  }
  if (bytes.length === 0) {
    const why = size === 0 ? 'The file is empty.' : `The file has fewer than ${offset} lines.`;
    return { bytes, notes: [why] };
  }
  const tooMany = bytes.length > maxBytes;
  const lastBreak = bytes.subarray(0, maxBytes).lastIndexOf(10) + 1;
  if (tooMany && lastBreak === 0) {
    const note = `${cap}: line ${offset} is longer than that. Read inside it with byte_offset; the file has ${size} bytes.`;
    return { bytes: wholeCharacters(bytes.subarray(0, maxBytes)), notes: [note] };
  }
  const inCap = tooMany ? bytes.subarray(0, lastBreak) : bytes;
  const { end, lines } = endOfLines(inCap, limit);
  const next = offset + lines;
  const rest = `lines ${offset} to ${next - 1} are shown, of a file of ${size} bytes. Read on with offset ${next}.`;
  if (tooMany && lines < limit) return { bytes: inCap, notes: [`${cap}: ${rest}`] };
  if (end < bytes.length) return { bytes: inCap.subarray(0, end), notes: [upper(rest)] };
  return { bytes: inCap, notes: [] };
}

/** Where the first lines end, and how many there are up to the limit. */
export function endOfLines(bytes: Uint8Array, limit: number): { end: number; lines: number } {
  let end = 0;
  let lines = 0;
  while (lines < limit && end < bytes.length) {
    const next = bytes.indexOf(10, end);
    end = next === -1 ? bytes.length : next + 1;
    lines++;
  }
  return { end, lines };
}

function upper(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
