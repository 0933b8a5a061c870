/**
 * Text of unknown origin, made safe to print on a terminal or show on a page: what it says stays,
 * what it could do goes. Terminal sequences (colours, titles, links, clipboard) are taken out.
 * Characters that turn, hide or smuggle text (bidi controls, zero-width, tags) and control
 * characters other than tab and newline become visible, as `<U+202E>`. A carriage return becomes a
 * newline, so that no line writes over another. Joiners stay where scripts and emoji need them.
 *
 * Linear in the text, and the same again when applied twice.
 */
export function neutralise(text: string): string {
  const sound = text.toWellFormed();
  if (!suspicious.test(sound)) return sound;
  return sound.replace(sequences, '').replace(/\r\n?/g, '\n').replace(harmful, name);
}

/** How many characters of a text are there without being seen: bidi controls, zero-width, tags. */
export function countHidden(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(hidden)) count++;
  return count;
}

function name(characters: string): string {
  let named = '';
  for (const character of characters) {
    const code = character.codePointAt(0) ?? 0;
    named += `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  }
  return named;
}

const esc = String.raw`\x1b`;
/** Each alternative ends at the next escape or line break, so no character is looked at twice. */
const sequences = new RegExp(
  [
    String.raw`(?:${esc}\[|\x9b)[0-?]*[ -/]*[@-~]`, // CSI: colours, cursor, erase.
    String.raw`(?:${esc}\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|${esc}\\|\x9c)`, // OSC: titles, links, clipboard.
    String.raw`(?:${esc}[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:${esc}\\|\x9c)`, // DCS, SOS, PM, APC.
    `${esc}[ -/]+[0-~]`, // Character sets.
    String.raw`${esc}[0-OQ-WYZ\\\x60-~]`, // Two characters: reset, save, keypad.
  ].join('|'),
  'g',
);

const controls = String.raw`[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]`;
const turning = String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`;
const invisible = String.raw`[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]`;
const selectors = String.raw`[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}`;

const pictograph = String.raw`[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}]`;
const joined = String.raw`[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]`;
const joiners = String.raw`(?<!${pictograph}|${joined})[\u200c\u200d]|[\u200c\u200d](?!${pictograph}|${joined})`;

const hidden = new RegExp(`${turning}|${invisible}|${selectors}|${joiners}`, 'gv');
const harmful = new RegExp(`${controls}|${turning}|${invisible}|${selectors}|${joiners}`, 'gv');
const suspicious = new RegExp(
  String.raw`${controls}|${turning}|${invisible}|${selectors}|[\u200c\u200d]`,
  'v',
);
