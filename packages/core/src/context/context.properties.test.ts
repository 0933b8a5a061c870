import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Message, textOf } from '../messages/message.ts';
import { applyCompaction } from './apply-compaction.ts';
import { arbitraryHistory, type History } from './arbitrary-history.test.ts';
import type { Change, CompactionPlan, CompactionStrategy } from './compaction.ts';
import type { ContextEntry } from './entry.ts';
import { estimateMessageTokens } from './estimate-tokens.ts';
import { noCompaction } from './no-compaction.ts';
import { type Provider, pairingViolations } from './pairing-rules.ts';
import { type ContextDecision, planCompaction } from './plan-compaction.ts';
import { renderContext } from './render-context.ts';
import { slidingWindow } from './sliding-window.ts';
import { applySummary, prepareSummary } from './summary.ts';
import { tieredCompaction } from './tiered-compaction.ts';
import { groupUnits } from './units.ts';

/** The same cases each time; another SEED gives others. */
const runs = (numRuns: number) => ({ numRuns, seed: Number(process.env.SEED ?? 7) });

const system = 'You are a careful worker.';
const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];

interface Setting {
  readonly budget: number;
  readonly reasoningReplay: 'none' | 'last' | 'full';
  readonly calibration: { ratio: number; samples: number };
  readonly canSummarize: boolean;
  readonly summary: string;
}

const setting: fc.Arbitrary<Setting> = fc.record({
  budget: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 20_000 })),
  reasoningReplay: fc.constantFrom('none', 'last', 'full'),
  calibration: fc.record({
    ratio: fc.double({ min: 0.5, max: 4, noNaN: true }),
    samples: fc.constant(3),
  }),
  canSummarize: fc.boolean(),
  summary: fc.constantFrom('', 'They read files.', 'They read files. '.repeat(500)),
});

const ownStrategy = fc.oneof(
  fc
    .record({
      keepRecentTurns: fc.nat(3),
      trigger: fc.constantFrom(0.3, 0.75, 1),
      shrinkTo: fc.constantFrom(0, 30, 200, 1_000),
    })
    .map(tieredCompaction),
  fc.nat(3).map((keepTurns) => slidingWindow({ keepTurns })),
  fc.constant(noCompaction()),
);

/** Compacts until there is no more to do, and checks every step on the way. */
function settle(history: History, strategy: CompactionStrategy, options: Setting) {
  const { pendingCalls } = history;
  const plans: CompactionPlan[] = [];
  let window = history.window;
  let canSummarize = options.canSummarize;
  let decision: ContextDecision;
  const base = { system, tools, pendingCalls, strategy, ...options };
  for (;;) {
    decision = planCompaction({ ...base, window, canSummarize });
    if (decision.type !== 'compact') return { window, plans, decision };
    const { plan } = decision;
    plans.push(plan);
    assert.ok(plans.length < 100, 'it ends');
    assert.ok(plan.tokensAfter < plan.tokensBefore, 'a plan wins something');
    assert.ok(canSummarize || plan.summarize === undefined, 'no summary without a summariser');

    const before = measure(window, history, options);
    assert.equal(plan.tokensBefore, before);
    const next = applyCompaction(window, JSON.parse(JSON.stringify(plan)));
    checkSound(next, history, options);
    if (plan.summarize === undefined) {
      assert.equal(
        measure(next, history, options),
        plan.tokensAfter,
        'the plan says what comes of it',
      );
      window = next;
      continue;
    }
    const countTokens = (message: Message) =>
      estimateMessageTokens(message) * options.calibration.ratio;
    const summary = prepareSummary({ request: plan.summarize, text: options.summary, countTokens });
    if (summary === undefined) canSummarize = false;
    else window = applySummary(next, summary);
    if (summary !== undefined) assert.ok(measure(window, history, options) <= plan.tokensAfter + 1);
    checkSound(window, history, options);
  }
}

function measure(
  window: readonly ContextEntry[],
  { pendingCalls }: History,
  { calibration, reasoningReplay, budget }: Setting,
) {
  const decision = planCompaction({
    system,
    tools,
    window,
    budget,
    pendingCalls,
    reasoningReplay,
    calibration,
    strategy: noCompaction(),
  });
  assert.ok(decision.type !== 'compact');
  return decision.tokens;
}

function rendered(
  window: readonly ContextEntry[],
  { pendingCalls }: History,
  { reasoningReplay }: Setting,
) {
  return renderContext({ system, window, pendingCalls, reasoningReplay }).messages;
}

/** What must hold for every window that compaction can lead to. */
function checkSound(
  window: readonly ContextEntry[],
  history: History,
  options: Setting,
  providers: readonly Provider[] = ['openai', 'anthropic', 'gemini'],
) {
  const messages = rendered(window, history, options);
  for (const provider of providers) assert.deepEqual(pairingViolations(provider, messages), []);
  assert.deepEqual(messages[0], { role: 'system', content: [{ type: 'text', text: system }] });

  assert.deepEqual(unanswered(messages), [], 'no result is lost without a word');

  const inputs = (entries: readonly ContextEntry[]) =>
    entries.filter(({ kind }) => kind === 'input');
  assert.deepEqual(
    inputs(window),
    inputs(history.window),
    'inputs are kept, unaltered and in order',
  );

  const original = new Map(history.window.map((entry) => [entry.id, entry]));
  let last = 0;
  for (const { id, kind, message } of window) {
    assert.ok(id > last, 'entries keep their order');
    last = id;
    if (kind !== 'summary') assert.deepEqual(namesIn(message), namesIn(original.get(id)?.message));
  }
  const called = new Set(messages.flatMap((message) => namesIn(message)));
  for (const id of history.pendingCalls.keys()) {
    assert.ok(
      [...called].some((name) => name.startsWith(`call ${id} `)),
      'what waits is not lost',
    );
  }
}

/** Calls that read as if they had never been answered. */
function unanswered(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const lost = message.content.filter((part) =>
      textOf(part).startsWith('[no result was recorded'),
    );
    return lost.map(({ callId }) => callId);
  });
}

function namesIn(message: Message | undefined): string[] {
  return (message?.content ?? []).flatMap((part) => {
    if (part.type === 'tool_call') return `call ${part.id} ${part.name}`;
    if (part.type === 'tool_result') return `result ${part.callId} ${part.name}`;
    return [];
  });
}

test('any window renders to messages every provider accepts', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, (history, options) => {
      checkSound(history.window, history, options);
    }),
    runs(300),
  );
});

test('ids that start again in every reply render soundly and compact soundly', () => {
  fc.assert(
    fc.property(arbitraryHistory({ reuseIds: true }), setting, (history, options) => {
      const base = { system, tools, ...options, ...history };
      const decision = planCompaction({ ...base, strategy: tieredCompaction() });
      const window =
        decision.type === 'compact'
          ? applyCompaction(history.window, decision.plan)
          : history.window;
      const messages = rendered(window, history, options);
      for (const provider of ['openai', 'gemini'] as const)
        assert.deepEqual(pairingViolations(provider, messages), []);
    }),
    runs(300),
  );
});

test('compaction keeps every window sound, ends, and fits or says that it cannot', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, ownStrategy, (history, options, strategy) => {
      const { window, decision } = settle(history, strategy, options);
      const tokens = measure(window, history, options);
      if (decision.type === 'fits') assert.ok(tokens <= options.budget);
      else assert.ok(decision.type === 'too_large' && tokens > options.budget);
    }),
    runs(400),
  );
});

const strength = [
  'nudges',
  'shrink',
  'drop_results',
  'drop_reasoning',
  'summary',
  'drop_steps',
  'shrink_recent',
];

test('right after a plan comes nothing, or a stronger tier', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, (history, options) => {
      const { plans } = settle(history, tieredCompaction(), { ...options, canSummarize: false });
      const tiers = plans.map(({ tier }) => strength.indexOf(tier));
      for (let at = 1; at < tiers.length; at++)
        assert.ok((tiers[at] ?? -1) > (tiers[at - 1] ?? -1), plans.map(({ tier }) => tier).join());
    }),
    runs(300),
  );
});

test('the strategies of this package need no correction', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, ownStrategy, (history, options, strategy) => {
      for (const { corrections } of settle(history, strategy, options).plans) {
        assert.deepEqual(corrections, []);
      }
    }),
    runs(200),
  );
});

test('what the model has not seen yet is never dropped', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, ownStrategy, (history, options, strategy) => {
      const { window } = settle(history, strategy, options);
      const left = new Set(window.map(({ id }) => id));
      for (const unit of groupUnits(history.window, history.pendingCalls)) {
        if (!unit.live) continue;
        for (const position of unit.positions)
          assert.ok(left.has(history.window[position]?.id ?? -1));
      }
    }),
    runs(200),
  );
});

/** Asks for anything: drops, notes, messages of other entries, results cut from their calls. */
const hostileStrategy = fc
  .array(
    fc.record({
      entry: fc.integer({ min: -1, max: 60 }),
      other: fc.nat(60),
      action: fc.constantFrom('drop', 'drop', 'replace', 'drop_reasoning', 'note', 'summarize'),
    }),
    { maxLength: 40 },
  )
  .map((wishes): CompactionStrategy => {
    return ({ window, budget }) => {
      const changes = wishes.flatMap(({ entry, other, action }): Change[] => {
        if (action === 'summarize') return [];
        if (action === 'drop' || action === 'drop_reasoning') return [{ entry, action }];
        if (action === 'note') return [{ entry, action, text: 'n' }];
        const message = window[other]?.message ?? { role: 'tool', content: [] };
        return [{ entry, action: 'replace', message }];
      });
      const entries = wishes.flatMap(({ entry, action }) => (action === 'summarize' ? entry : []));
      return { tier: 'hostile', changes, summarize: { entries, maxTokens: budget } };
    };
  });

test('a strategy that asks for anything still leads to sound windows, and ends', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, hostileStrategy, (history, options, strategy) => {
      settle(history, strategy, options);
    }),
    runs(500),
  );
});

test('planning leaves its input alone and gives the same plan again', () => {
  fc.assert(
    fc.property(arbitraryHistory(), setting, (history, options) => {
      const copy = structuredClone(history.window);
      const ask = () =>
        planCompaction({ system, tools, ...options, ...history, strategy: tieredCompaction() });
      assert.deepEqual(ask(), ask());
      assert.deepEqual(history.window, copy);
    }),
    runs(100),
  );
});
