/** Waits for the end of something that has begun, a piece of text at a time. */
export interface Matcher {
  /** How many characters of this piece belong to it, once its end is there. */
  feed(piece: string): number | undefined;
}

/**
 * Follows brackets and strings from an opening bracket to where it closes. Knows just enough to
 * be right about valid JSON and about right for the rest.
 */
export function bracketMatcher(): Matcher {
  let depth = 0;
  let inString = false;
  let escaped = false;
  return {
    feed(piece) {
      for (let i = 0; i < piece.length; i++) {
        const code = piece.charCodeAt(i);
        if (escaped) escaped = false;
        else if (inString) {
          if (code === 92) escaped = true;
          else if (code === 34) inString = false;
        } else if (code === 34) inString = true;
        else if (code === 123 || code === 91 || code === 40) depth++;
        else if (code === 125 || code === 93 || code === 41) {
          depth--;
          if (depth <= 0) return i + 1;
        }
      }
      return undefined;
    },
  };
}

/** Waits for `closer`, behind the first `skip` characters. */
export function closerMatcher(closer: string, skip: number): Matcher {
  let left = skip;
  let tail = '';
  return {
    feed(piece) {
      const from = Math.min(left, piece.length);
      left -= from;
      const text = tail + piece.slice(from);
      const found = text.indexOf(closer);
      if (found !== -1) return from + found + closer.length - tail.length;
      tail = text.slice(Math.max(0, text.length - closer.length + 1));
      return undefined;
    },
  };
}
