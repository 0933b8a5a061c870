import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf, userMessage } from '../messages/message.ts';
import { applyCompaction } from './apply-compaction.ts';
import { answer, input, result, step, windowOf } from './build-window.test.ts';
import type { CompactionPlan, CompactionStrategy } from './compaction.ts';
import { cutResult, maxResultTokens } from './cut-result.ts';
import type { ContextEntry } from './entry.ts';
import { pairingViolations } from './pairing-rules.ts';
import { planCompaction } from './plan-compaction.ts';
import { renderContext } from './render-context.ts';
import { slidingWindow } from './sliding-window.ts';
import { tieredCompaction } from './tiered-compaction.ts';

/** Faults of an earlier design, each of which must be impossible here. */

const prose = (chars: number) => 'word '.repeat(Math.ceil(chars / 5)).slice(0, chars);
const sizeOf = (window: readonly ContextEntry[]) => renderContext({ system: '', window }).tokens;

function compacted(
  window: readonly ContextEntry[],
  budget: number,
  strategy: CompactionStrategy = tieredCompaction(),
) {
  const plans: CompactionPlan[] = [];
  let current = window;
  for (;;) {
    const decision = planCompaction({ system: '', tools: [], window: current, budget, strategy });
    if (decision.type !== 'compact') return { window: current, plans, decision };
    plans.push(decision.plan);
    current = applyCompaction(current, decision.plan);
  }
}

const manySteps = (count: number, chars: number, prefix = 'c') =>
  Array.from({ length: count }, (_, at) => step({ [`${prefix}${at}`]: prose(chars) }));

test('a shrunk result keeps its call id, its tool’s name and its error flag', () => {
  const failed = result('bad', prose(3_000));
  const part = failed.role === 'tool' ? failed.content[0] : undefined;
  assert.ok(part !== undefined);
  const pieces = step({ bad: undefined });
  const window = windowOf(
    input('go'),
    [
      ...pieces,
      { kind: 'result', message: { role: 'tool', content: [{ ...part, isError: true }] } },
    ],
    step({ b: 'x' }),
    step({ c: 'x' }),
  );
  const { window: after, plans } = compacted(window, 700);
  assert.equal(plans[0]?.tier, 'shrink');
  const message = after[2]?.message;
  assert.ok(message?.role === 'tool');
  const { callId, name, isError } = message.content[0] ?? {};
  assert.deepEqual({ callId, name, isError }, { callId: 'bad', name: 'read', isError: true });
});

for (const divisor of [1, 2, 4, 8, 16, 64]) {
  test(`no call without a result at any strength (budget 1/${divisor} of the window)`, () => {
    const window = windowOf(input('go'), ...manySteps(12, 600));
    const { window: after } = compacted(window, Math.floor(sizeOf(window) / divisor));
    const { messages } = renderContext({ system: '', window: after });
    for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
      assert.deepEqual(pairingViolations(provider, messages), []);
    }
  });
}

for (const chars of [199, 200, 201, 220, 240, 260]) {
  test(`results of ${chars} characters never grow by being shortened`, () => {
    const window = windowOf(input('go'), ...manySteps(12, chars));
    const { plans } = compacted(window, Math.floor(sizeOf(window) / 0.8));
    for (const { tokensBefore, tokensAfter, changes } of plans) {
      assert.ok(tokensAfter < tokensBefore);
      for (const change of changes) {
        if (change.action !== 'replace' || change.message.role !== 'tool') continue;
        const [part] = change.message.content;
        assert.ok(part !== undefined && textOf(part).length < chars);
      }
    }
  });
}

test('a huge result is seen before it is sent, whatever the last reply’s usage was', () => {
  const before = windowOf(input('go'), step({ a: 'small' }));
  assert.equal(compacted(before, 4_000).decision.type, 'fits');
  const huge = [
    ...before,
    ...windowOf(step({ b: prose(100_000) })).map((entry) => ({
      ...entry,
      id: entry.id + 50,
      turn: 2,
    })),
  ];
  const { window: after, plans, decision } = compacted(huge, 4_000);
  assert.equal(plans.length, 1);
  assert.equal(decision.type, 'fits');
  assert.ok(sizeOf(after) <= 4_000);
});

test('cut on arrival, a huge result never fills the window', () => {
  const part = result('b', prose(100_000));
  assert.ok(part.role === 'tool');
  const cut = part.content.map((one) => cutResult(one, { maxTokens: maxResultTokens(4_000) }));
  const window = windowOf(input('go'), [
    ...step({ b: undefined }),
    { kind: 'result', message: { ...part, content: cut } },
  ]);
  assert.ok(sizeOf(window) < 1_100);
});

for (const [what, number] of [
  ['start again with each run', (entry: ContextEntry, at: number) => ({ ...entry, turn: at % 5 })],
  ['are all the same', (entry: ContextEntry) => ({ ...entry, turn: 0 })],
] as const) {
  test(`a history whose turn numbers ${what} is compacted like any other`, () => {
    const ordered = windowOf(
      input('go'),
      ...manySteps(6, 900),
      answer('done'),
      input('again'),
      ...manySteps(6, 900, 'd'),
    );
    const window = ordered.map(number);
    const { plans, decision } = compacted(window, Math.floor(sizeOf(window) / 1.2));
    assert.equal(decision.type, 'fits');
    assert.equal(plans[0]?.tier, 'shrink');
  });
}

test('later things the user said are as safe as the first', () => {
  const window = windowOf(
    input('first'),
    ...manySteps(5, 2_000),
    input('NEVER touch the production database'),
    step({ later: prose(2_000) }),
    answer('ok'),
    input('third'),
    step({ last: prose(9_000) }),
  );
  for (const strategy of [
    tieredCompaction({ keepRecentTurns: 0 }),
    slidingWindow({ keepTurns: 0 }),
  ]) {
    const { window: after } = compacted(window, 200, strategy);
    const said = after.filter(({ kind }) => kind === 'input').map(({ message }) => textOf(message));
    assert.deepEqual(said, ['first', 'NEVER touch the production database', 'third']);
  }
});

test('keepRecentTurns: 0 protects nothing but what the model has not answered', () => {
  const window = windowOf(input('go'), ...manySteps(4, 900), answer(prose(100)), input('next'));
  const { window: after, decision } = compacted(
    window,
    60,
    tieredCompaction({ keepRecentTurns: 0 }),
  );
  assert.equal(decision.type, 'fits');
  assert.deepEqual(
    after.filter(({ kind }) => kind !== 'input').map(({ kind }) => kind),
    ['summary'],
  );
});

test('a plan never reports a tier that took nothing', () => {
  const window = windowOf(input(prose(8_000)), step({ a: 'x' }));
  const { plans, decision } = compacted(window, 1_000);
  assert.deepEqual(plans, []);
  assert.equal(decision.type, 'too_large');
});

test('a summary can be made, and takes the place of all that is old', () => {
  const window = windowOf(input('go'), ...manySteps(400, 40));
  const decision = planCompaction({
    system: '',
    tools: [],
    window,
    budget: 8_000,
    strategy: tieredCompaction(),
    canSummarize: true,
  });
  assert.ok(decision.type === 'compact' && decision.plan.summarize !== undefined);
  assert.equal(decision.plan.summarize.entries.length, 398 * 2);
});

test('over a long run the window stays bounded and compaction is rare', () => {
  const budget = 4_000;
  let window: readonly ContextEntry[] = [
    { id: 0, kind: 'input', turn: 0, message: userMessage('go') },
  ];
  let plans = 0;
  let longest = 0;
  for (let turn = 1; turn <= 600; turn++) {
    const fresh = windowOf(step({ [`c${turn}`]: prose(300 + (turn % 7) * 100) }));
    window = [...window, ...fresh.map((entry) => ({ ...entry, id: turn * 2 + entry.id, turn }))];
    const settled = compacted(window, budget);
    assert.equal(settled.decision.type, 'fits');
    window = settled.window;
    plans += settled.plans.length;
    longest = Math.max(longest, window.length);
  }
  assert.ok(longest < 200, `${longest} entries`);
  assert.ok(plans < 150, `${plans} plans in 600 turns`);
});
