import { countAnchors, type Syntax } from './linear-syntax.ts';

/** What `RegExp` may spend for each character of a text, beside its budget. */
const STEPS_PER_CHARACTER = 16;

/** How a backtracking matcher may fare with a part of a pattern, begun at one place. */
interface Effort {
  /** The ways in which the part can match; each of them has what follows tried again. */
  readonly ways: number;
  /** Steps to go through all those ways. */
  readonly steps: number;
}

/**
 * For which texts `RegExp` is sure to answer within a budget of steps (and a few more for each
 * character). The bound is a coarse one: it knows nothing of which characters can follow each
 * other, and so holds for every text.
 */
export class BacktrackingLimit {
  readonly #syntax: Syntax;
  readonly #budget: number;
  /** What is known, by the number of binary digits of the length. */
  readonly #verdicts: (boolean | undefined)[] = [];

  constructor(syntax: Syntax, budget: number) {
    this.#syntax = syntax;
    this.#budget = budget;
  }

  allows(length: number): boolean {
    const digits = 32 - Math.clz32(length);
    const known = this.#verdicts[digits];
    if (known !== undefined) return known;
    // The bound only grows with the length: what the longest may take, the shorter ones may.
    const shortest = Math.floor(2 ** (digits - 1));
    const most = mostSteps(this.#syntax, 2 ** digits - 1);
    const verdict = most <= this.#budget + STEPS_PER_CHARACTER * shortest;
    this.#verdicts[digits] = verdict;
    return verdict;
  }
}

/** The most steps backtracking can take to look for a match in a text of this length. */
export function mostSteps(syntax: Syntax, length: number): number {
  const { steps } = effortOf(syntax, length);
  const anchors = countAnchors(syntax);
  return anchors > 0 ? steps + anchors * length : steps * (length + 1);
}

function effortOf(syntax: Syntax, length: number): Effort {
  switch (syntax.kind) {
    case 'character':
    case 'set':
    case 'edge':
      return { ways: 1, steps: 1 };
    case 'sequence':
      return syntax.parts.reduce<Effort>(
        (before, part) => {
          const { ways, steps } = effortOf(part, length);
          return { ways: before.ways * ways, steps: before.steps + before.ways * steps };
        },
        { ways: 1, steps: 1 },
      );
    case 'choice':
      return syntax.options.reduce<Effort>(
        (before, option) => {
          const { ways, steps } = effortOf(option, length);
          return { ways: before.ways + ways, steps: before.steps + steps };
        },
        { ways: 0, steps: 1 },
      );
    case 'repeat': {
      const inner = effortOf(syntax.body, length);
      // Rounds past the least must take a character each, or JavaScript ends the loop.
      const rounds = Math.min(syntax.max, syntax.min + length);
      if (inner.ways === 1) {
        // One more is tried in vain.
        return { ways: rounds - syntax.min + 1, steps: (rounds + 1) * inner.steps + 1 };
      }
      // 1 + w + w² + … + wⁿ is at most 2wⁿ.
      const ways = 2 * inner.ways ** rounds;
      return { ways, steps: ways * inner.steps };
    }
    case 'look':
      // Once it has matched, nothing goes back into it.
      return { ways: 1, steps: effortOf(syntax.body, length).steps + 1 };
    case 'opaque':
      return syntax.body === undefined
        ? { ways: 1, steps: length + 1 }
        : effortOf(syntax.body, length);
  }
}
