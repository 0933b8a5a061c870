import { markerOf } from './markers.ts';
import { lexBracket, lexTag } from './tag.ts';
import { lexXtml } from './xtml.ts';

export interface ThoughtEnd {
  readonly start: number;
  readonly end: number;
}

/**
 * Where reasoning that began before `from` ends: at the next closing tag of any kind of reasoning,
 * or at `token` if its format ends it with one. Undefined when it never ends.
 */
export function findThoughtEnd(text: string, from: number, token?: string): ThoughtEnd | undefined {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 60 && code !== 91 && code !== 0x25c1) continue;
    if (token !== undefined && text.startsWith(token, i))
      return { start: i, end: i + token.length };
    const end = thoughtEndAt(text, i);
    if (end !== undefined) return { start: i, end };
  }
  return undefined;
}

/** The end of a reasoning closer that starts at `at`. */
export function thoughtEndAt(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at);
  if (code === 0x25c1) return text.startsWith('◁/think▷', at) ? at + 8 : undefined;
  if (code === 91) {
    if (text.startsWith('[BEGIN FINAL RESPONSE]', at)) return at + 22;
    const tag = lexBracket(text, at);
    return tag?.close === true && tag.name === 'THINK' ? tag.end : undefined;
  }
  const tag = lexXtml(text, at) ?? lexTag(text, at);
  if (tag === undefined) return undefined;
  const role = markerOf(tag)?.role;
  return role === 'thinkEnd' || (role === 'think' && tag.close) ? tag.end : undefined;
}
