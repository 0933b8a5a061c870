import { LimitExceeded } from './budget.ts';
import type { Check, StringRules } from './schema-node.ts';

/** `minLength`, `maxLength` (both in code points) and `pattern`. */
export function stringCheck({ minLength, maxLength, pattern }: StringRules): Check<string> {
  const limited = minLength > 0 || maxLength < Number.POSITIVE_INFINITY;
  return {
    accepts(value) {
      if (limited && !(isAtLeast(value, minLength) && isAtMost(value, maxLength))) return false;
      return pattern === undefined || pattern.matches(value);
    },
    explain(value, sink) {
      if (!isAtLeast(value, minLength)) {
        const least =
          minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`;
        sink.add('minLength', least, value);
      }
      if (!isAtMost(value, maxLength)) {
        sink.add(
          'maxLength',
          `must be at most ${maxLength} characters (is ${codePoints(value)})`,
          value,
        );
      }
      if (pattern === undefined) return;
      try {
        if (!pattern.matches(value)) sink.add('pattern', `must match /${pattern.source}/`, value);
      } catch (error) {
        if (!(error instanceof LimitExceeded)) throw error;
        sink.add('pattern', `is too long to be matched against /${pattern.source}/`, value);
      }
    },
  };
}

/** A code point is one or two units, so most lengths need no counting. */
function isAtLeast(text: string, least: number): boolean {
  if (text.length < least) return false;
  return text.length >= 2 * least || codePoints(text) >= least;
}

function isAtMost(text: string, most: number): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && codePoints(text) <= most;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    i += 1;
  }
  return count;
}
