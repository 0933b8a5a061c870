import { skipSpace } from './chars.ts';
import { markerOf, squash } from './markers.ts';
import { lexTag, type Tag } from './tag.ts';
import { lexXtml } from './xtml.ts';

export interface ParameterText {
  readonly raw: string;
  /** Where the text goes on: behind the closing tag, or at the tag that stands in for it. */
  readonly end: number;
  /** False when the text ended inside the value. */
  readonly closed: boolean;
  readonly visited: number;
}

export interface ParameterRules {
  /** A parameter of the same call, so that this one must have ended. */
  readonly isSibling: (tag: Tag) => boolean;
  /** The tool names no parameters: any that does not pair up inside the value is a sibling. */
  readonly anySibling: boolean;
  /** Text may be read that turns out not to belong to the value. */
  readonly mayGoBack: boolean;
}

/**
 * The value between a parameter's tags, whatever markup it holds. It ends at its own closing
 * tag. Where that was left out, it ends at the next parameter the tool knows (`isSibling`), or at
 * the end of the call, if that is followed by nothing but more markers. Tags like its own inside
 * it are part of it if they pair up; if not, the first closing tag was its own.
 */
export function readParameter(text: string, tag: Tag, rules: ParameterRules): ParameterText {
  const { isSibling, anySibling, mayGoBack } = rules;
  const own = squash(tag.name);
  const role = markerOf(tag)?.role;
  const from = tag.end;
  const body = skipSpace(text, from);
  let i = from;
  let nested = 0;
  /** What the value is if the tags inside it do not pair up. */
  let unpaired: ParameterText | undefined;
  const end = (at: number): ParameterText =>
    unpaired === undefined ? done(text, from, at, at) : { ...unpaired, visited: at - from };
  if (text.startsWith('<![CDATA[', body)) {
    const close = text.indexOf(']]>', body);
    i = close === -1 ? text.length : close + 3;
  }
  for (i = text.indexOf('<', i); i !== -1; i = text.indexOf('<', i + 1)) {
    const next = lexXtml(text, i) ?? lexTag(text, i);
    if (next === undefined) continue;
    const marker = markerOf(next);
    const same = squash(next.name) === own || (role !== undefined && marker?.role === role);
    if (next.close && same) {
      const here = done(text, from, i, next.end);
      if (nested === 0) return here;
      nested--;
      unpaired ??= here;
      continue;
    }
    if (!next.close && isSibling(next)) return end(i);
    if (same && mayGoBack && !next.selfClosing) {
      nested++;
      if (anySibling) unpaired ??= done(text, from, i, i);
    }
    const ends = marker?.role === 'close' || (next.close && marker?.role === 'open');
    if (ends && onlyMarkersFollow(text, next.end, own)) return end(i);
  }
  const { length } = text;
  // The text ended before the call did: what does not pair up may have been going to.
  if (anySibling && unpaired !== undefined) return end(length);
  return { raw: text.slice(from), end: length, closed: false, visited: length - from };
}

function done(text: string, from: number, to: number, end: number): ParameterText {
  return { raw: text.slice(from, to), end, closed: true, visited: end - from };
}

/**
 * Behind a closing tag inside a value: the end of the text or another marker, and among the tags
 * that follow directly not the value's own closing tag (else this was an example it quotes).
 */
function onlyMarkersFollow(text: string, at: number, own: string): boolean {
  let i = skipSpace(text, at);
  for (let tags = 0; tags < 6; tags++) {
    if (i >= text.length) return true;
    if (text.startsWith('```', i)) return true;
    const tag = text.charCodeAt(i) === 60 ? lexTag(text, i) : undefined;
    if (tag === undefined || markerOf(tag) === undefined) return false;
    if (!tag.close) return true;
    if (squash(tag.name) === own) return false;
    i = skipSpace(text, tag.end);
  }
  return true;
}
