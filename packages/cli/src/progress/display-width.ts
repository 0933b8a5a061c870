/** Two columns: East Asian wide characters and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** None: marks that sit on the character before, joiners and variation selectors. */
const none = /^[\p{Mn}\p{Me}\p{Cf}]/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a text takes that has no control characters. */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text, or as much of it as fits with an ellipsis at the end. */
export function cutToWidth(text: string, width: number): string {
  if (width <= 0) return '';
  if (isPlain(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  if (displayWidth(text) <= width) return text;
  let cut = '';
  let left = width - 1;
  for (const { segment } of segmenter.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** The text with spaces after it, so that what follows stands below each other. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Nothing but letters, digits and signs that take one column each. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function graphemeWidth(grapheme: string): number {
  if (none.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}
