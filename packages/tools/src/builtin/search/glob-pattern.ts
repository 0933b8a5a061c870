import { ForgeError } from '@forge/core';

const mostAlternatives = 64;

/**
 * A test for paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `{ts,tsx}`. A pattern
 * without `/` is for names in any folder. Takes time in proportion to pattern times path at worst.
 */
export function globPattern(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern.replace(/^\.?\//, '')).map((alternative) => {
    const whole = alternative.includes('/') ? alternative : `**/${alternative}`;
    const all = whole.endsWith('/') ? `${whole}**` : whole;
    // What ends with ** is for what is in a folder, not for the folder itself.
    return all
      .replace(/(^|\/)\*\*$/, '$1**/*')
      .split('/')
      .map(readSegment);
  });
  return (path) => {
    const names = path.split('/');
    return alternatives.some((segments) => matchList(segments, names, matchName));
  };
}

function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // The innermost braces hold no others.
    const match = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(next);
    if (match === null) done.push(next);
    else {
      const [, before = '', inside = '', after = ''] = match;
      for (const choice of inside.split(',').reverse()) open.push(before + choice + after);
    }
    if (done.length + open.length > mostAlternatives) {
      throw new ForgeError(
        'tool_failed',
        `The pattern stands for more than ${mostAlternatives} patterns. Use fewer { }.`,
      );
    }
  }
  return done;
}

type Token = { readonly any: boolean; readonly test: (character: string) => boolean };
type Segment = '**' | readonly Token[];

function readSegment(segment: string): Segment {
  if (segment === '**') return segment;
  const tokens: Token[] = [];
  for (const part of segment.match(/\[!?\]?[^\]]*\]|\\.|./gsu) ?? []) {
    if (part === '*') tokens.push({ any: true, test: () => true });
    else if (part === '?') tokens.push({ any: false, test: () => true });
    else if (part.length > 2 && part.startsWith('[')) {
      tokens.push({ any: false, test: characterClass(part.slice(1, -1)) });
    } else {
      const literal = part.startsWith('\\') && part.length > 1 ? part.slice(1) : part;
      tokens.push({ any: false, test: (character) => character === literal });
    }
  }
  return tokens;
}

function characterClass(body: string): (character: string) => boolean {
  const negated = /^[!^]/.test(body);
  const ranges = [...(negated ? body.slice(1) : body).matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from = '', to = '', single]) => [single ?? from, single ?? to] as const,
  );
  return (character) =>
    ranges.some(([from, to]) => character >= from && character <= to) !== negated;
}

function matchName(segment: Segment, name: string): boolean {
  return (
    segment !== '**' && matchList(segment, [...name], (token, character) => token.test(character))
  );
}

/**
 * Whether a list fits a pattern in which some members stand for any number. Going back to the last
 * such member is enough, so it is never more than pattern times list.
 */
function matchList<P extends Segment | Token, T>(
  pattern: readonly P[],
  list: readonly T[],
  fits: (member: P, item: T) => boolean,
): boolean {
  let [at, item] = [0, 0];
  let [star, mark] = [-1, 0];
  while (item < list.length) {
    const member = pattern[at];
    if (member !== undefined && isAny(member)) {
      [star, mark] = [at++, item];
    } else if (member !== undefined && fits(member, list[item] as T)) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++mark;
    } else return false;
  }
  return pattern.slice(at).every(isAny);
}

function isAny(member: Segment | Token): boolean {
  return member === '**' || ('any' in member && member.any);
}
