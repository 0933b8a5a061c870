import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const colors: readonly (readonly [Record<string, string>, boolean | undefined])[] = [
  [{}, undefined],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '' }, undefined],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: '' }, true],
  [{ FORCE_COLOR: '0' }, false],
  [{ FORCE_COLOR: 'false' }, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [{ TERM: 'dumb' }, false],
  [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
];

for (const [environment, color] of colors) {
  test(`colours with ${JSON.stringify(environment)}: ${color}`, () => {
    assert.equal(readConfig(environment).color, color);
  });
}

test('takes columns only where they are a number of columns', () => {
  const columns = (COLUMNS: string) => readConfig({ COLUMNS }).columns;
  assert.deepEqual(['100', '0', '-3', '1.5', 'wide', ''].map(columns), [
    100,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
