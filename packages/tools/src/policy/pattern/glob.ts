import { ForgeError } from '@forge/core';

/** A character that stands for itself, `*`, or `**`. */
export type GlobPart = { readonly char: string } | { readonly wild: 'star' | 'deep' };
export type Glob = readonly GlobPart[];

/** Which characters a `*` and a `**` may stand for. */
export interface Reach {
  readonly star: (char: string) => boolean;
  readonly deep: (char: string) => boolean;
}

export const everything: Reach = { star: () => true, deep: () => true };

/** `*` and `**` are wild; `\*` and `\\` are a star and a backslash. */
export function parseGlob(text: string): Glob {
  const parts: GlobPart[] = [];
  const chars = [...text];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? '';
    if (char === '\\') {
      const next = chars[++at];
      if (next !== '*' && next !== '\\') {
        throw new ForgeError(
          'invalid_options',
          `In "${text}" a backslash stands before something that needs none. Write \\* for a star and \\\\ for a backslash.`,
        );
      }
      parts.push({ char: next });
    } else if (char !== '*') parts.push({ char });
    else if (chars[at + 1] === '*') {
      while (chars[at + 1] === '*') at++;
      parts.push({ wild: 'deep' });
    } else parts.push({ wild: 'star' });
  }
  return parts;
}

/** Text as a glob that matches exactly it. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*]/g, '\\$&');
}

/** The text of a glob without anything wild in it, else undefined. */
export function literalOf(glob: Glob): string | undefined {
  let text = '';
  for (const part of glob) {
    if ('wild' in part) return undefined;
    text += part.char;
  }
  return text;
}

/** Whether the whole text matches. All ways are followed at once: never more than text × glob steps. */
export function matchGlob(glob: Glob, text: string, reach: Reach = everything): boolean {
  let places = reachable(glob, new Set([0]));
  for (const char of text) {
    const next = new Set<number>();
    for (const place of places) {
      const part = glob[place];
      if (part === undefined) continue;
      if ('char' in part) {
        if (part.char === char) next.add(place + 1);
      } else if (reach[part.wild](char)) next.add(place);
    }
    if (next.size === 0) return false;
    places = reachable(glob, next);
  }
  return places.has(glob.length);
}

/** A wild part may stand for nothing. */
function reachable(glob: Glob, places: Set<number>): Set<number> {
  for (const place of places) {
    const part = glob[place];
    if (part !== undefined && 'wild' in part) places.add(place + 1);
  }
  return places;
}
