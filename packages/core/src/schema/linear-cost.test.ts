import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { BacktrackingLimit, mostSteps } from './linear-cost.ts';
import { parsePattern } from './linear-parser.ts';
import type { Syntax } from './linear-syntax.ts';

const ENOUGH = 50_000;

function syntaxOf(source: string): Syntax {
  const syntax = parsePattern(source, true);
  assert.ok(syntax, source);
  return syntax;
}

/** Parts of the pattern that a plain backtracking matcher tries, counted up to ENOUGH. */
function backtrackingSteps(pattern: Syntax, text: string): number {
  let steps = 0;
  const match = (syntax: Syntax, at: number, next: (at: number) => boolean): boolean => {
    if (steps > ENOUGH) return true;
    switch (syntax.kind) {
      case 'sequence': {
        const from = (part: number, here: number): boolean => {
          const first = syntax.parts[part];
          return first === undefined
            ? next(here)
            : match(first, here, (there) => from(part + 1, there));
        };
        return from(0, at);
      }
      case 'choice':
        return syntax.options.some((option) => match(option, at, next));
      case 'repeat': {
        const { body, min, max } = syntax;
        const round = (count: number, here: number): boolean => {
          const again = (there: number) => (count < min || there > here) && round(count + 1, there);
          return (count < max && match(body, here, again)) || (count >= min && next(here));
        };
        return round(0, at);
      }
      case 'look':
        return match(syntax.body, at, () => true) !== syntax.isNegated && next(at);
      case 'edge':
        steps += 1;
        return at === (syntax.edge === 'start' ? 0 : text.length) && next(at);
      default: {
        steps += 1;
        const isTaken = syntax.kind === 'character' ? text.codePointAt(at) === syntax.point : true;
        return at < text.length && isTaken && next(at + 1);
      }
    }
  };
  for (let at = 0; at <= text.length; at++) if (match(pattern, at, () => true)) break;
  return steps;
}

const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '$', '^', '^a', '(?:)'),
    tie('pattern').map((inner) => `(${inner})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{2,}'))
      .map(([inner, mark]) => `(?:${inner})${mark}`),
    fc.tuple(fc.constantFrom('(?=', '(?!'), tie('pattern')).map((both) => `${both.join('')})`),
  ),
  pattern: fc
    .array(fc.array(tie('item'), { maxLength: 3 }), { minLength: 1, maxLength: 4 })
    .map((options) => options.map((items) => items.join('')).join('|')),
}));

it('never says fewer steps than backtracking takes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (source, subject) => {
      const syntax = syntaxOf(source);
      const taken = backtrackingSteps(syntax, subject);
      assert.ok(taken <= mostSteps(syntax, subject.length), `/${source}/ took ${taken} steps`);
    }),
    { numRuns: 5_000 },
  );
});

const LONGEST = 2 ** 29 - 1;
const longest = new Map([
  ...['a', '^a+$', '^(?:ab)*$', 'a|b', '^(?=.*a)(?=.*b).{2,}$', '^[a-f]{8}-x{4}$'].map(
    (source) => [source, LONGEST] as const,
  ),
  ['a+$', 200],
  ['^a*a*$', 200],
  ['a{0,50000}b', 200],
  ['(a)\\1', 500],
  ['(\\d{1,3}\\.){3}\\d{1,3}', 500],
  ['^a*b*c*$', 30],
  ['(a|a)*b', 5],
  ['(a+)+$', 0],
  ['(a|a)'.repeat(40), undefined],
  ['(?:){1000000}', undefined],
]);

for (const [source, expected] of longest) {
  it(`allows ${expected ?? 'no'} characters or so for ${source.slice(0, 30)}`, () => {
    const limit = new BacktrackingLimit(syntaxOf(source), 400_000);
    const lengths = [0, 5, 30, 200, 500, 100_000, LONGEST];
    assert.equal(
      lengths.findLast((length) => limit.allows(length)),
      expected,
    );
  });
}
