import { lexTag, type Tag } from './tag.ts';

const OPEN = '<|open|>';
const CLOSE = '<|close|>';
const SEPARATOR = '<|sep|>';

/**
 * Kimi K3 spells its tags with tokens: `<|open|>call tool="f"<|sep|>` is `<call tool="f">` and
 * `<|close|>call<|sep|>` is `</call>`.
 */
export function lexXtml(text: string, at: number): Tag | undefined {
  const close = text.startsWith(CLOSE, at);
  if (!close && !text.startsWith(OPEN, at)) return undefined;
  const from = at + (close ? CLOSE.length : OPEN.length);
  const window = text.slice(from, from + 400);
  const length = window.indexOf(SEPARATOR);
  if (length === -1) return undefined;
  const tag = lexTag(`<${window.slice(0, length)}>`, 0);
  // The border of the whole reply, which others mark with a token.
  if (tag?.name === 'message')
    return {
      ...tag,
      name: 'end_message',
      start: at,
      end: from + length + SEPARATOR.length,
      close,
      token: true,
    };
  return tag && { ...tag, start: at, end: from + length + SEPARATOR.length, close, token: false };
}
