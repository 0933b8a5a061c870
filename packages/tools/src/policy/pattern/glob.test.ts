import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Glob, matchGlob, parseGlob, type Reach } from './glob.ts';

const reach: Reach = { star: (char) => char !== '/', deep: (char) => char !== ';' };

/** The same in the plainest words: slow, and easy to believe. */
function matchesPlainly(glob: Glob, text: readonly string[]): boolean {
  const [part, ...rest] = glob;
  if (part === undefined) return text.length === 0;
  const [char, ...left] = text;
  if ('char' in part) return char === part.char && matchesPlainly(rest, left);
  if (matchesPlainly(rest, text)) return true;
  return char !== undefined && reach[part.wild](char) && matchesPlainly(glob, left);
}

const letters = fc.constantFrom('a', 'b', '/', ';');
const globs = fc.array(fc.constantFrom('a', 'b', '/', ';', '*', '**'), { maxLength: 6 });

describe('matchGlob', () => {
  it('agrees with the plain definition', () => {
    fc.assert(
      fc.property(globs, fc.array(letters, { maxLength: 8 }), (parts, text) => {
        const glob = parseGlob(parts.join(''));
        assert.equal(matchGlob(glob, text.join(''), reach), matchesPlainly(glob, text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not lose itself in many stars', () => {
    assert.equal(matchGlob(parseGlob('*a'.repeat(100)), `${'a'.repeat(10_000)}b`), false);
  });
});
