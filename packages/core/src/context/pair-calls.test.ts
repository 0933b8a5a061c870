import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, call, input, result, step, windowOf } from './build-window.test.ts';
import type { ContextEntry } from './entry.ts';
import { pairCalls } from './pair-calls.ts';

/** For each call, in order: the position of its result. */
function answers(window: readonly ContextEntry[]) {
  return [...pairCalls(window).calls.values()].flat().map(({ answer }) => answer?.at);
}

test('a result may come long after its call', () => {
  const window = windowOf(
    input('go'),
    step({ slow: undefined }),
    step({ fast: 'b' }),
    input('and?'),
    [{ kind: 'result', message: result('slow', 'a'), turn: 1 }],
  );
  assert.deepEqual(answers(window), [5, 3]);
});

test('ids used again in every reply pair within their own turn', () => {
  const window = windowOf(
    input('go'),
    step({ c0: 'one' }),
    step({ c0: undefined }),
    step({ c0: undefined }),
    [
      { kind: 'result', message: result('c0', 'two'), turn: 2 },
      { kind: 'result', message: result('c0', 'three'), turn: 3 },
    ],
  );
  assert.deepEqual(answers(window), [2, 5, 6]);
});

test('without turns that tell them apart, the latest unanswered call is meant', () => {
  const same = windowOf(input('go'), step({ c0: undefined }), step({ c0: 'x' })).map((entry) => ({
    ...entry,
    turn: 0,
  }));
  assert.deepEqual(answers(same), [undefined, 3]);
});

test('one id twice in one reply: results in order', () => {
  const window = windowOf(input('go'), [
    { kind: 'reply', message: assistant(call('c'), call('c')) },
    { kind: 'result', message: result('c', 'first') },
    { kind: 'result', message: result('c', 'second') },
  ]);
  assert.deepEqual(answers(window), [2, 3]);
});

test('a result before its call, without one, or the second for it pairs with nothing', () => {
  const window = windowOf(
    [{ kind: 'result', message: result('a', 'early') }],
    step({ a: 'right' }),
    [{ kind: 'result', message: result('a', 'again') }],
    [{ kind: 'result', message: result('nobody', 'x') }],
  );
  assert.deepEqual(answers(window), [2]);
  assert.deepEqual([...pairCalls(window).callers.keys()], [2]);
});
