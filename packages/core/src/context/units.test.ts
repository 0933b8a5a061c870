import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userMessage } from '../messages/message.ts';
import {
  answer,
  assistant,
  call,
  input,
  refusal,
  result,
  step,
  windowOf,
} from './build-window.test.ts';
import type { ContextEntry } from './entry.ts';
import type { PendingCalls } from './pending-calls.ts';
import { groupUnits } from './units.ts';

function described(window: readonly ContextEntry[], pending?: PendingCalls) {
  return groupUnits(window, pending).map(
    ({ kind, positions, live }) => `${kind} ${positions.join(',')}${live ? ' live' : ''}`,
  );
}

test('a reply with its results, a refusal with its nudges, inputs alone', () => {
  const window = windowOf(
    input('go'),
    step({ a: '1', b: '2' }),
    refusal('hm', 'use a tool'),
    answer('done'),
  );
  assert.deepEqual(described(window), ['input 0', 'step 1,2,3', 'refusal 4,5', 'step 6']);
});

test('nudges that answer the calls of a refused reply belong to it', () => {
  const window = windowOf(
    input('go'),
    [
      { kind: 'rejected', message: assistant(call('x')) },
      { kind: 'nudge', message: result('x', 'no such tool') },
      { kind: 'nudge', message: userMessage('try again') },
    ],
    answer('done'),
  );
  assert.deepEqual(described(window), ['input 0', 'refusal 1,2,3', 'step 4']);
});

test('a nudge that answers a call of an accepted reply stays with that reply', () => {
  const window = windowOf(
    input('go'),
    [
      { kind: 'reply', message: assistant(call('a'), call('b')) },
      { kind: 'result', message: result('a', 'ok') },
      { kind: 'nudge', message: result('b', 'denied') },
    ],
    answer('done'),
  );
  assert.deepEqual(described(window), ['input 0', 'step 1,2,3', 'step 4']);
});

test('live: what the model has not seen yet, and calls that wait', () => {
  const window = windowOf(input('go'), step({ slow: undefined }), step({ a: '1' }));
  assert.deepEqual(described(window), ['input 0', 'step 1 live', 'step 2,3 live']);
  const later = windowOf(input('go'), step({ lost: undefined }), step({ a: '1' }), answer('done'));
  const none: PendingCalls = new Map();
  assert.deepEqual(described(later, none), ['input 0', 'step 1', 'step 2,3', 'step 4']);
});

test('a late result makes its old step live until the model has answered', () => {
  const window = windowOf(input('go'), step({ slow: undefined }), answer('meanwhile'), [
    { kind: 'result', message: result('slow', 'at last'), turn: 1 },
  ]);
  assert.deepEqual(described(window), ['input 0', 'step 1,3 live', 'step 2']);
});

test('the newest refusal is live, the ones before it are not', () => {
  const window = windowOf(input('go'), refusal('a', 'no'), refusal('b', 'still no'));
  assert.deepEqual(described(window), ['input 0', 'refusal 1,2', 'refusal 3,4 live']);
});

test('what the caller gave as input is input with all that belongs to it', () => {
  const window = windowOf(
    [
      { kind: 'input', message: assistant(call('a')) },
      { kind: 'result', message: result('a', '1') },
    ],
    answer('ok'),
  );
  assert.deepEqual(described(window), ['input 0,1', 'step 2']);
});
