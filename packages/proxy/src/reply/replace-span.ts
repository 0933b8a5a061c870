/** The bytes with other text in the place of a span. */
export function replaceSpan(
  bytes: Buffer,
  [start, end]: readonly [number, number],
  text: string,
): Buffer {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
}
