import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../messages/message.ts';
import { answer, input, step, windowOf } from './build-window.test.ts';
import { estimateMessageTokens as countTokens } from './estimate-tokens.ts';
import { applySummary, prepareSummary } from './summary.ts';

const window = windowOf(
  input('first'),
  step({ a: '1' }),
  answer('ok'),
  input('second'),
  step({ b: '2' }),
  step({ c: '3' }),
);

test('one summary stands where the last replaced entry stood; inputs stay in order', () => {
  const after = applySummary(window, { replaces: [1, 2, 3, 4, 6, 7], text: 'did a and b' });
  assert.deepEqual(
    after.map(({ id, kind }) => [id, kind]),
    [
      [1, 'input'],
      [5, 'input'],
      [7, 'summary'],
      [8, 'reply'],
      [9, 'result'],
    ],
  );
  assert.equal(after[2]?.message.role, 'user');
});

test('a summary of entries that are gone changes nothing', () => {
  assert.deepEqual(applySummary(window, { replaces: [77], text: 'x' }), window);
});

test('what a summariser wrote is cut to what was asked for', () => {
  const request = { entries: [2, 3], maxTokens: 100 };
  const short = prepareSummary({ request, text: ' did it \n', countTokens });
  assert.deepEqual(short, { replaces: [2, 3], text: '[Summary of earlier steps]\ndid it' });
  const long = prepareSummary({ request, text: 'and then '.repeat(2_000), countTokens });
  const entry = applySummary(window, long ?? { replaces: [], text: '' }).find(
    ({ kind }) => kind === 'summary',
  );
  assert.ok(entry !== undefined && countTokens(entry.message) <= 100);
  assert.match(textOf(entry.message), /characters removed to save space/);
});

test('no words, or no room for any, is no summary', () => {
  assert.equal(
    prepareSummary({ request: { entries: [2], maxTokens: 100 }, text: ' \n', countTokens }),
    undefined,
  );
  assert.equal(
    prepareSummary({
      request: { entries: [2], maxTokens: 5 },
      text: 'word '.repeat(50),
      countTokens,
    }),
    undefined,
  );
});
