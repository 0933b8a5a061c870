import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../errors.ts';
import { type Message, text, textOf } from '../messages/message.ts';
import { applyCompaction } from './apply-compaction.ts';
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
import type { CompactionPlan } from './compaction.ts';
import type { ContextEntry } from './entry.ts';
import { type PlanInput, planCompaction } from './plan-compaction.ts';
import { renderContext } from './render-context.ts';
import { tieredCompaction } from './tiered-compaction.ts';

const prose = (chars: number) => 'word '.repeat(Math.ceil(chars / 5)).slice(0, chars);
const sizeOf = (window: readonly ContextEntry[]) => renderContext({ system: '', window }).tokens;

function plan(
  window: readonly ContextEntry[],
  budget: number,
  options: Partial<PlanInput> = {},
): CompactionPlan {
  const decision = planCompaction({
    system: '',
    tools: [],
    window,
    budget,
    strategy: tieredCompaction(),
    ...options,
  });
  assert.ok(decision.type === 'compact', `${decision.type} instead of a plan`);
  return decision.plan;
}

const resultsOf = (window: readonly ContextEntry[]) =>
  window.flatMap(({ message }) =>
    message.role === 'tool' ? message.content.map((part) => textOf(part)) : [],
  );

test('below the trigger nothing happens, at the trigger it acts', () => {
  const window = windowOf(
    input('go'),
    step({ a: prose(4_000) }),
    step({ b: '2' }),
    step({ c: '3' }),
  );
  const tokens = sizeOf(window);
  const decide = (budget: number) =>
    planCompaction({ system: '', tools: [], window, budget, strategy: tieredCompaction() }).type;
  assert.equal(decide(Math.ceil(tokens / 0.74)), 'fits');
  assert.equal(decide(Math.floor(tokens / 0.75)), 'compact');
});

test('refused replies and their nudges go first, as whole groups', () => {
  const window = windowOf(
    input('go'),
    refusal(prose(4_000), 'Use a tool.'),
    refusal(prose(200), 'Really, use a tool.'),
    step({ a: prose(800) }),
    step({ b: '2' }),
    step({ c: '3' }),
  );
  const { tier, changes } = plan(window, Math.floor(sizeOf(window) / 0.8));
  assert.equal(tier, 'nudges');
  assert.deepEqual(changes, [
    { entry: 2, action: 'drop' },
    { entry: 3, action: 'drop' },
  ]);
});

test('the newest refusal stays while the model has not answered it', () => {
  const window = windowOf(
    input('go'),
    refusal(prose(2_000), 'no'),
    refusal(prose(2_000), 'still no'),
  );
  const after = applyCompaction(window, plan(window, Math.floor(sizeOf(window) / 0.9)));
  assert.deepEqual(
    after.map(({ id }) => id),
    [1, 4, 5],
  );
});

test('then old results shrink, the oldest first and no more than needed', () => {
  const window = windowOf(
    input('go'),
    step({ a: prose(3_000) }),
    step({ b: prose(3_000) }),
    step({ c: prose(3_000) }),
    step({ d: prose(3_000) }),
    step({ e: prose(3_000) }),
  );
  const made = plan(window, Math.floor(sizeOf(window) / 0.76));
  assert.equal(made.tier, 'shrink');
  const lengths = resultsOf(applyCompaction(window, made)).map((words) => words.length);
  assert.ok(lengths.slice(0, 2).every((length) => length <= 200));
  assert.deepEqual(lengths.slice(2), [3_000, 3_000, 3_000]);
  assert.ok(
    made.tokensAfter < 0.75 * (sizeOf(window) / 0.76) * 0.8 + 1,
    'with room below the trigger',
  );
});

test('then old results leave a note, and the calls stay', () => {
  const steps = Array.from({ length: 40 }, (_, at) => step({ [`c${at}`]: prose(190) }));
  const window = windowOf(input('go'), ...steps);
  const made = plan(window, Math.floor(sizeOf(window) / 0.8));
  assert.equal(made.tier, 'drop_results');
  const after = applyCompaction(window, made);
  assert.equal(after.length, window.length);
  assert.equal(resultsOf(after)[0], '[result removed to save space]');
  assert.equal(resultsOf(after).at(-1), prose(190));
});

test('then old reasoning goes and old answers are cut, not dropped', () => {
  const window = windowOf(
    input('one'),
    answer(prose(4_000), prose(1_000)),
    input('two'),
    step({ a: 'x' }, prose(4_000)),
    step({ b: 'x' }),
    step({ c: 'x' }),
  );
  const made = plan(window, Math.floor(sizeOf(window) / 0.8), { reasoningReplay: 'full' });
  assert.equal(made.tier, 'drop_reasoning');
  const after = applyCompaction(window, made);
  assert.equal(textOf(after[1]?.message ?? { content: [] }).length, 200);
  assert.deepEqual(
    after[3]?.message.content.map(({ type }) => type),
    ['tool_call'],
  );
  assert.ok(made.changes.some(({ action }) => action === 'drop_reasoning'));
});

const longCalls = (count: number) =>
  Array.from({ length: count }, (_, at): { kind: 'reply' | 'result'; message: Message }[] => [
    {
      kind: 'reply',
      message: assistant({
        type: 'tool_call',
        id: `w${at}`,
        name: 'write',
        args: { body: prose(900) },
      }),
    },
    { kind: 'result', message: result(`w${at}`, 'ok', 'write') },
  ]);

test('without a summariser old steps go whole, with one note for all of them', () => {
  const window = windowOf(input('go'), ...longCalls(12));
  const made = plan(window, Math.floor(sizeOf(window) / 0.8));
  assert.equal(made.tier, 'drop_steps');
  const after = applyCompaction(window, made);
  const [first, note, next] = after;
  assert.deepEqual([first?.kind, note?.kind, next?.kind], ['input', 'summary', 'reply']);
  assert.match(textOf(note?.message ?? { content: [] }), /Earlier steps .* removed/);
  assert.ok(after.length > 6, 'only as many as needed');

  const grown = [
    ...after,
    ...windowOf(...longCalls(6)).map((entry) => ({ ...entry, id: entry.id + 100, turn: 50 })),
  ];
  const again = applyCompaction(grown, plan(grown, Math.floor(sizeOf(window) / 0.8)));
  assert.equal(again.filter(({ kind }) => kind === 'summary').length, 1, 'notes do not pile up');
});

test('with a summariser all that is old becomes one summary, refusals aside', () => {
  const window = windowOf(
    input('go'),
    refusal('hm', 'no'),
    ...longCalls(12),
    input('more'),
    ...longCalls(1),
  );
  const budget = Math.floor(sizeOf(window) / 0.8);
  const made = plan(window, budget, { canSummarize: true });
  assert.equal(made.tier, 'summary');
  assert.deepEqual(
    made.changes.map(({ entry }) => entry),
    [2, 3],
  );
  assert.deepEqual(
    made.summarize?.entries,
    Array.from({ length: 22 }, (_, at) => at + 4),
  );
  assert.ok((made.summarize?.maxTokens ?? 0) <= budget / 10);
});

test('a recent result that does not fit by itself is cut, as little as needed', () => {
  const window = windowOf(input('go'), step({ a: prose(400), b: prose(40_000) }));
  const made = plan(window, 4_000);
  assert.equal(made.tier, 'shrink_recent');
  const [small, large] = resultsOf(applyCompaction(window, made));
  assert.equal(small, prose(400));
  assert.ok((large ?? '').length > 8_000 && (large ?? '').length < 40_000);
  assert.ok(made.tokensAfter <= 3_000);
});

test('what is over the trigger and cannot be won is left alone; over the budget it is too large', () => {
  const window = windowOf(input(prose(4_000)), step({ a: 'x' }));
  const decide = (budget: number) =>
    planCompaction({
      system: 'Be brief.',
      tools: [],
      window,
      budget,
      strategy: tieredCompaction(),
    });
  assert.equal(decide(sizeOf(window) + 20).type, 'fits');
  const decision = decide(500);
  assert.ok(decision.type === 'too_large');
  assert.ok(
    decision.inputTokens > 800 && decision.fixedTokens < 20 && decision.tokens > decision.budget,
  );
});

test('a small win is not worth a compaction while the request fits', () => {
  const window = windowOf(
    input(prose(4_000)),
    refusal('hm', 'no'),
    step({ a: 'x' }),
    step({ b: 'x' }),
  );
  const decision = planCompaction({
    system: '',
    tools: [],
    window,
    budget: sizeOf(window) + 5,
    strategy: tieredCompaction(),
  });
  assert.equal(decision.type, 'fits');
});

test('reasoning that is not replayed is not counted and not compacted', () => {
  const window = windowOf(
    input('go'),
    step({ a: 'x' }, prose(9_000)),
    step({ b: 'x' }),
    step({ c: 'x' }),
  );
  const strategy = tieredCompaction();
  const base = { system: '', tools: [], window, budget: 1_000, strategy };
  assert.equal(planCompaction(base).type, 'fits');
  assert.equal(planCompaction({ ...base, reasoningReplay: 'full' }).type, 'compact');
});

test('images in old results go with the shrinking', () => {
  const image = {
    type: 'image' as const,
    mediaType: 'image/png',
    source: { url: 'https://example.org/a.png' },
  };
  const shot: Message = {
    role: 'tool',
    content: [{ type: 'tool_result', callId: 'a', name: 'read', content: [text('page'), image] }],
  };
  const window = windowOf(
    input('go'),
    [
      { kind: 'reply', message: assistant(call('a')) },
      { kind: 'result', message: shot },
    ],
    step({ b: 'x' }),
    step({ c: 'x' }),
  );
  const made = plan(window, 2_000);
  assert.equal(made.tier, 'shrink');
  assert.equal(
    resultsOf(applyCompaction(window, made))[0],
    'page\n[1 image removed to save space]',
  );
});

test('options that make no sense are refused by name', () => {
  for (const options of [
    { keepRecentTurns: -1 },
    { trigger: 0 },
    { trigger: 1.5 },
    { shrinkTo: Number.NaN },
  ]) {
    assert.throws(
      () => tieredCompaction(options),
      (error) =>
        ForgeError.is(error, 'invalid_options') &&
        error.message.startsWith(Object.keys(options)[0] ?? '?'),
    );
  }
});
