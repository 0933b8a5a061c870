import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf, userMessage } from '../messages/message.ts';
import { answer, input, refusal, result, step, windowOf } from './build-window.test.ts';
import type { Change, SummaryRequest } from './compaction.ts';
import { enforceInvariants } from './enforce-invariants.ts';
import { estimateMessageTokens as countTokens } from './estimate-tokens.ts';
import { groupUnits } from './units.ts';

const long = 'word '.repeat(100);
// 1 input, 2 reply (a, b), 3 result a, 4 result b, 5 rejected, 6 nudge, 7 answer, 8 input, 9 reply, 10 result c
const window = windowOf(
  input('go'),
  step({ a: long, b: 'ok' }),
  refusal('hm', 'no'),
  answer('done'),
  input('on'),
  step({ c: long }),
);

function enforced(changes: Change[], summarize?: SummaryRequest) {
  const facts = {
    window,
    units: groupUnits(window),
    tokens: 1_000,
    fixedTokens: 0,
    budget: 1_000,
    countTokens,
    canSummarize: true,
  };
  return enforceInvariants(facts, { changes, summarize });
}

const drop = (entry: number): Change => ({ entry, action: 'drop' });

test('inputs, unknown entries and what is live are left alone, and it says so', () => {
  const { changes, corrections } = enforced([
    drop(1),
    { entry: 8, action: 'replace', message: userMessage('') },
    drop(77),
    drop(9),
    { entry: 10, action: 'note', text: 'x' },
    { entry: 9, action: 'drop_reasoning' },
  ]);
  assert.deepEqual(changes, []);
  assert.deepEqual(
    corrections.map(({ entry, reason }) => `${entry} ${reason}`),
    ['1 input', '8 input', '77 unknown', '9 live', '10 live', '9 live'],
  );
});

test('with a reply go its results', () => {
  const { changes, corrections } = enforced([drop(2)]);
  assert.deepEqual(changes, [drop(2), drop(3), drop(4)]);
  assert.deepEqual(corrections, [
    { entry: 3, reason: 'unit' },
    { entry: 4, reason: 'unit' },
  ]);
});

test('a result dropped without its call leaves a note, if that is shorter', () => {
  const { changes, corrections } = enforced([drop(3), drop(4)]);
  assert.equal(changes.length, 1);
  const [change] = changes;
  assert.ok(change?.action === 'replace' && change.message.role === 'tool');
  const [part] = change.message.content;
  assert.deepEqual(
    [part?.callId, part?.name, textOf(part ?? { content: [] })],
    ['a', 'read', '[result removed to save space]'],
  );
  assert.deepEqual(
    corrections.map(({ entry }) => entry),
    [3, 4],
  );
});

test('a refused reply and its nudge go together, whichever was named', () => {
  for (const entry of [5, 6]) assert.deepEqual(enforced([drop(entry)]).changes, [drop(5), drop(6)]);
});

test('a note takes the place of its whole unit', () => {
  const note: Change = { entry: 3, action: 'note', text: 'read two files' };
  assert.deepEqual(enforced([note]).changes, [drop(2), note, drop(4)]);
});

test('a replacement keeps role, ids and names, and is smaller', () => {
  const replace = (entry: number, message: (typeof window)[number]['message']): Change => ({
    entry,
    action: 'replace',
    message,
  });
  const reasons = (change: Change) => enforced([change]).corrections.map(({ reason }) => reason);
  assert.deepEqual(reasons(replace(3, result('a', 'short'))), []);
  assert.deepEqual(reasons(replace(3, result('b', 'short'))), ['shape']);
  assert.deepEqual(reasons(replace(3, result('a', 'short', 'write'))), ['shape']);
  assert.deepEqual(reasons(replace(3, userMessage('short'))), ['shape']);
  assert.deepEqual(reasons(replace(3, { role: 'tool', content: [] })), ['shape']);
  assert.deepEqual(reasons(replace(3, result('a', long))), ['grows']);
  assert.deepEqual(reasons(replace(10, result('c', 'short'))), [], 'a live result may be cut');
});

test('a summary replaces whole units that are neither inputs nor live, at half their size at most', () => {
  const { summarize } = enforced([drop(5)], { entries: [1, 3, 6, 8, 10], maxTokens: 100_000 });
  assert.deepEqual(summarize?.entries, [2, 3, 4]);
  assert.ok((summarize?.maxTokens ?? 0) <= countTokens(result('a', long)));
  assert.equal(enforced([], { entries: [1, 8], maxTokens: 100 }).summarize, undefined);
  assert.equal(enforced([], { entries: [2], maxTokens: Number.NaN }).summarize, undefined);
});
