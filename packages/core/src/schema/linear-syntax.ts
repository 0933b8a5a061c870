/** A place between two characters that something is asked of. */
export type Edge = 'start' | 'end' | 'word' | 'inside';

/**
 * A regular expression as far as "does it match?" depends on it: groups leave no trace, greedy and
 * lazy are the same.
 */
export type Syntax =
  | { readonly kind: 'character'; readonly point: number }
  /** Anything that takes exactly one character, as written: `.`, `[a-z]`, `\d`, `\p{Lu}`, `\n`. */
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'sequence'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'choice'; readonly options: readonly Syntax[] }
  | Repeat
  | Look
  /** A back reference, or (with a body) a group with flags: read, but not matched by our engine. */
  | { readonly kind: 'opaque'; readonly body: Syntax | undefined };

export interface Repeat {
  readonly kind: 'repeat';
  readonly body: Syntax;
  readonly min: number;
  readonly max: number;
}

/** `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`. */
export interface Look {
  readonly kind: 'look';
  readonly body: Syntax;
  readonly isBehind: boolean;
  readonly isNegated: boolean;
}

/** How many `^` a match has to pass one of, so that it begins where the text does; 0 for none. */
export function countAnchors(syntax: Syntax): number {
  switch (syntax.kind) {
    case 'edge':
      return syntax.edge === 'start' ? 1 : 0;
    case 'sequence': {
      const [first] = syntax.parts;
      return first === undefined ? 0 : countAnchors(first);
    }
    case 'choice': {
      const counts = syntax.options.map(countAnchors);
      return counts.includes(0) ? 0 : counts.reduce((sum, count) => sum + count);
    }
    default:
      return 0;
  }
}
