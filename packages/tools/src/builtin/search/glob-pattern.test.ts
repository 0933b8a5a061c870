import assert from 'node:assert/strict';
import { matchesGlob } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { globPattern } from './glob-pattern.ts';

describe('globPattern', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['*.ts', 'a.ts', true],
    ['*.ts', 'deep/er/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/test/**', 'a/test/b', true],
    ['./src/*', 'src/x', true],
    ['src/', 'src/a/b', true],
    ['*.{js,ts}', 'x/a.js', true],
    ['{a,b{c,d}}.x', 'bd.x', true],
    ['[a-c]?.x', 'b1.x', true],
    ['[!a-c].x', 'b.x', false],
    ['\\*.x', '*.x', true],
    ['\\*.x', 'a.x', false],
    ['é*', 'été', true],
    ['src/**', 'src', false],
    ['?t?', 'été', true],
  ];
  for (const [pattern, path, expected] of rows) {
    it(`${pattern} ${expected ? 'fits' : 'does not fit'} ${path}`, () =>
      assert.equal(globPattern(pattern)(path), expected));
  }

  it('agrees with Node on whole paths', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '**', 'a*', '*b');
    const pattern = fc.array(part, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('/'));
    const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pattern, path, (glob, names) => {
        const file = names.join('/');
        assert.equal(globPattern(glob)(file), matchesGlob(file, glob), `${glob} ${file}`);
      }),
    );
  });

  it('does not blow up on many stars or braces', () => {
    assert.equal(globPattern('*a'.repeat(200))(`${'a'.repeat(5_000)}b`), false);
    assert.throws(() => globPattern('{a,b}'.repeat(20)), /more than 64/);
  });
});
