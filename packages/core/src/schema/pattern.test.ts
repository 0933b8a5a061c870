import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LimitExceeded } from './budget.ts';
import { compilePattern } from './pattern.ts';

const long = 'a'.repeat(10_001);

it('matches as JSON Schema does: anywhere, in code points', () => {
  assert.equal(compilePattern('b')?.matches('abc'), true);
  assert.equal(compilePattern('^.$')?.matches('😀'), true);
  assert.equal(compilePattern('\\p{Lu}')?.matches('É'), true);
});

it('reads patterns that only make sense without the Unicode flag', () => {
  assert.equal(compilePattern('^[\\w\\-\\_]+\\@$')?.matches('a-b@'), true);
  assert.equal(compilePattern('('), undefined);
});

it('matches a long text only where that is sure to be quick', () => {
  for (const source of ['a', '^a+$', '^[a-z]*$', 'a{3}', '^\\S', 'a|b']) {
    assert.equal(compilePattern(source)?.matches(long), true, source);
  }
  for (const source of [
    '(a+)+',
    'a+$',
    '^a*a*$',
    '(a|a)*',
    '^(?=a)a+',
    '(a)\\1',
    '^a+|b',
    'a{1,}',
  ]) {
    assert.throws(() => compilePattern(source)?.matches(long), LimitExceeded, source);
  }
});
