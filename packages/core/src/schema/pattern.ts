import { LimitExceeded } from './budget.ts';

/** Texts past this length are only matched against patterns whose time is known to be linear. */
const LONGEST = 10_000;

export interface Pattern {
  readonly source: string;
  /** Throws LimitExceeded for a text too long to be matched safely. */
  matches(text: string): boolean;
}

/**
 * A pattern as JSON Schema means it: not anchored, read as Unicode, or without the flag where
 * Unicode mode refuses it (`\-`, `\_` and the like are common in the wild). Undefined when it is
 * not a regular expression at all.
 *
 * JavaScript cannot bound the time of a match. What we can do is keep long texts away from
 * patterns that may backtrack; such a text is refused, never waved through.
 */
export function compilePattern(source: string): Pattern | undefined {
  const expression = toRegExp(source, 'u') ?? toRegExp(source, '');
  if (expression === undefined) return undefined;
  const longest = isLinear(source) ? Number.POSITIVE_INFINITY : LONGEST;
  return {
    source,
    matches(text) {
      if (text.length > longest) {
        throw new LimitExceeded(`a text of more than ${LONGEST} characters meets a pattern`);
      }
      return expression.test(text);
    },
  };
}

function toRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/**
 * True only for patterns that plainly cannot backtrack much: no repeated group, no back
 * reference or lookaround, at most one quantifier, and `^` in front of an endless one.
 */
function isLinear(source: string): boolean {
  if (/\\[1-9k]|\(\?[=!<]/.test(source)) return false;
  const bare = source
    .replace(/\\./gs, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?:/g, '(');
  if (/\)[*+?{]/.test(bare)) return false;
  const quantifiers = bare.match(/[*+?]|\{\d+(?:,\d*)?\}/g) ?? [];
  const endless = quantifiers.some((mark) => mark === '*' || mark === '+' || mark.endsWith(',}'));
  if (quantifiers.length > 1) return false;
  return !endless || (bare.startsWith('^') && !bare.includes('|'));
}
