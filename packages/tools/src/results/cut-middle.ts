export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Bytes of UTF-8 up to the end of the head, and from the beginning of the tail. */
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** How far back a cut looks for a line break. */
const reach = 2_000;

/**
 * The beginning and the end of a text that is too long: two thirds of the room for the beginning.
 * Cuts fall on line breaks where there are any near. Undefined if it fits.
 */
export function cutMiddle(text: string, maxChars: number): CutText | undefined {
  if (text.length <= maxChars) return undefined;
  const headEnd = Math.ceil((maxChars * 2) / 3);
  const tailStart = text.length - Math.floor(maxChars / 3);
  const headBreak = text.lastIndexOf('\n', headEnd - 1) + 1;
  const tailBreak = text.indexOf('\n', tailStart - 1) + 1;
  const nearHead = headBreak > 0 && headEnd - headBreak <= reach;
  const nearTail = tailBreak > 0 && tailBreak - tailStart <= reach;
  const head = wellFormedEnd(text.slice(0, nearHead ? headBreak : headEnd));
  const tail = wellFormedStart(text.slice(nearTail ? tailBreak : tailStart));
  return { head, tail, headBytes: Buffer.byteLength(head), tailBytes: Buffer.byteLength(tail) };
}

function wellFormedEnd(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

function wellFormedStart(text: string): string {
  const first = text.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? text.slice(1) : text;
}
