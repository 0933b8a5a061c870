import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userMessage } from '../messages/message.ts';
import { applyCompaction } from './apply-compaction.ts';
import { answer, input, result, step, windowOf } from './build-window.test.ts';
import { changeSchema } from './compaction.ts';

const window = windowOf(
  input('go'),
  step({ a: 'long result' }, 'thinking'),
  answer('done', 'thinking'),
);

test('makes each change, in place and with the entry’s id', () => {
  const short = result('a', 'short');
  const after = applyCompaction(window, {
    changes: [
      { entry: 2, action: 'drop_reasoning' },
      { entry: 3, action: 'replace', message: short },
      { entry: 4, action: 'note', text: 'answered' },
    ],
  });
  assert.deepEqual(
    after.map(({ id, kind }) => [id, kind]),
    [
      [1, 'input'],
      [2, 'reply'],
      [3, 'result'],
      [4, 'summary'],
    ],
  );
  assert.deepEqual(
    after[1]?.message.content.map(({ type }) => type),
    ['tool_call'],
  );
  assert.equal(after[2]?.message, short);
  assert.deepEqual(after[3]?.message, userMessage('answered'));
});

test('inputs stay and unknown entries do not matter, whatever a log says', () => {
  const changes = [
    { entry: 1, action: 'drop' as const },
    { entry: 99, action: 'drop' as const },
  ];
  assert.deepEqual(applyCompaction(window, { changes }), window);
});

test('changes are checked when they come from a log', () => {
  assert.ok(changeSchema.safeParse({ entry: 1, action: 'note', text: 'x' }).success);
  assert.ok(!changeSchema.safeParse({ entry: 1, action: 'forget' }).success);
});
