import type { Syntax } from './linear-syntax.ts';

/** At least the number of instructions of a pattern; endless where it has no program at all. */
export function sizeOf(syntax: Syntax): number {
  switch (syntax.kind) {
    case 'character':
    case 'set':
    case 'edge':
      return 1;
    case 'sequence':
      return syntax.parts.reduce((sum, part) => sum + sizeOf(part), 1);
    case 'choice':
      return syntax.options.reduce((sum, option) => sum + sizeOf(option) + 2, 0);
    case 'repeat': {
      const size = sizeOf(syntax.body);
      const { min, max } = syntax;
      return Number.isFinite(max)
        ? min * size + (max - min) * (size + 1) + 1
        : (min || 1) * size + 2;
    }
    case 'look':
      return sizeOf(syntax.body) + 2;
    case 'opaque':
      return Number.POSITIVE_INFINITY;
  }
}
