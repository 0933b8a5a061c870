/**
 * The beginning and the end of a text, with a marker for what is gone between them: at most
 * `maxChars` in all, unless the marker alone is longer. Never longer than the text itself, and
 * never splits a surrogate pair.
 */
export function cutText(
  text: string,
  maxChars: number,
  marker: (removed: number) => string,
): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - marker(text.length).length;
  if (room <= 0) {
    const alone = marker(text.length).trim();
    return alone.length < text.length ? alone : text;
  }
  let headEnd = Math.ceil(room / 2);
  let tailStart = text.length - Math.floor(room / 2);
  if (splitsPair(text, headEnd)) headEnd--;
  if (splitsPair(text, tailStart)) tailStart++;
  return text.slice(0, headEnd) + marker(tailStart - headEnd) + text.slice(tailStart);
}

/** Says that compaction took something out. Plain ASCII, because that is cheapest in tokens. */
export function savedSpace(removed: number): string {
  return `\n[... ${removed} characters removed to save space ...]\n`;
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
