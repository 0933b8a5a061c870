import { type ToolResultPart, text } from '../messages/message.ts';
import { cutText } from './cut-text.ts';
import { estimateTextTokens, imageTokens } from './estimate-tokens.ts';

const defaultHint = 'Ask for a smaller part if you need the rest.';

/**
 * How much of a budget one result may take. A quarter leaves room for the system prompt, the tools
 * and what the model needs to remember while it reads.
 */
export function maxResultTokens(budget: number): number {
  return Math.max(1, Math.floor(budget / 4));
}

/**
 * A result that fits: cut before it enters the window, so that no request is ever sent with a
 * result nobody counted. The head and the tail of the text stay, a line between them says how many
 * characters are missing and how to get them. Images stay as far as half the limit reaches; a line
 * says how many were left out. The call id, the tool's name, the error flag and provider fields are
 * kept. Gives back the same object when it fits, as everything that was cut to this limit does. A
 * limit too small for those lines is taken as just large enough.
 */
export function cutResult(
  result: ToolResultPart,
  { maxTokens, hint = defaultHint }: { maxTokens: number; hint?: string },
): ToolResultPart {
  const marker = (removed: number) =>
    `\n[... ${removed} characters removed, the result was too long. ${hint} ...]\n`;
  const limit = Math.max(maxTokens, smallestLimit(marker, hint));
  const words = textIn(result);
  const images = result.content.filter((part) => part.type === 'image');
  if (estimateTextTokens(words) + images.length * imageTokens <= limit) return result;

  const kept = images.slice(0, Math.floor(limit / 2 / imageTokens));
  const note = kept.length === images.length ? '' : leftOut(images.length - kept.length, hint);
  const room = limit - kept.length * imageTokens - estimateTextTokens(`\n${note}`);
  const cut = cutToTokens(words, room, marker);
  const remaining = [cut, note].filter((piece) => piece !== '').join('\n');
  return { ...result, content: remaining === '' ? kept : [text(remaining), ...kept] };
}

/** Room for both lines and as much text again, whatever the numbers in them. */
function smallestLimit(marker: (removed: number) => string, hint: string): number {
  const widest = Number.MAX_SAFE_INTEGER;
  return 2 * estimateTextTokens(`${marker(widest)}\n${leftOut(widest, hint)}`);
}

function leftOut(images: number, hint: string): string {
  return `[${counted(images, 'image')} left out, too large. ${hint}]`;
}

/**
 * A result cut to a number of characters to save space, without its images. The same object when
 * that wins nothing.
 */
export function shrinkResult(
  result: ToolResultPart,
  { maxChars, marker }: { maxChars: number; marker: (removed: number) => string },
): ToolResultPart {
  const images = result.content.filter((part) => part.type === 'image').length;
  const words = textIn(result);
  if (images === 0 && words.length <= maxChars) return result;
  const note = images === 0 ? '' : `[${counted(images, 'image')} removed to save space]`;
  const room = Math.max(0, maxChars - (note === '' ? 0 : note.length + 1));
  const pieces = [cutText(words, room, marker), note].filter((piece) => piece !== '');
  return { ...result, content: [text(pieces.join('\n'))] };
}

/** All text of a result. Parts are joined by a line break, as separate blocks would be read. */
export function textIn(result: ToolResultPart): string {
  const pieces: string[] = [];
  for (const part of result.content) if (part.type === 'text') pieces.push(part.text);
  return pieces.join('\n');
}

/** Each round is at most nine tenths of the one before, so the work stays linear in the text. */
function cutToTokens(
  words: string,
  maxTokens: number,
  marker: (removed: number) => string,
): string {
  let cut = words;
  let chars = words.length;
  for (let tokens = estimateTextTokens(cut); tokens > maxTokens && chars > 0; ) {
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens));
    cut = cutText(words, chars, marker);
    tokens = estimateTextTokens(cut);
  }
  return cut;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
