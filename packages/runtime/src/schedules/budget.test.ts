import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mostAccounts, overBudget, type Reading, settle, windowOf } from './budget.ts';
import { monday } from './schedule-fixtures.test.ts';

const spec = { zone: 'UTC', budget: { per: 'day' as const, maxTokens: 1_000, maxCost: 2 } };
const account = { runId: 'a', since: monday, tokens: 100, cost: 0.5 };
const reading: Reading = {
  account,
  tokens: 400,
  cost: 1,
  childTokens: 200,
  childCost: 0.25,
  hasEnded: false,
};
const spent = { window: '2026-03-02', firings: 1, tokens: 300, cost: 0.5, accounts: [account] };

describe('budget', () => {
  it('knows days, weeks and months by the wall clock', () => {
    const late = Date.parse('2026-03-01T23:30:00Z');
    assert.equal(windowOf(late, 'day', 'UTC'), '2026-03-01');
    assert.equal(windowOf(late, 'day', 'Europe/Berlin'), '2026-03-02');
    assert.equal(windowOf(late, 'week', 'UTC'), 'week of 2026-02-23');
    assert.equal(windowOf(late, 'week', 'Europe/Berlin'), 'week of 2026-03-02');
    assert.equal(windowOf(late, 'month', 'UTC'), '2026-03');
    assert.notEqual(windowOf(late, 'hour', 'UTC'), windowOf(late + 3_600_000, 'hour', 'UTC'));
  });

  it('adds what runs and their children have used since', () => {
    // 300 settled, 400 - 100 of the run, 200 of its children.
    assert.equal(overBudget(spec.budget, spent, [reading]), undefined);
    const more = { ...reading, tokens: 600 };
    assert.match(
      overBudget(spec.budget, spent, [more]) ?? '',
      /1000 tokens per day.*\(1000 tokens\)/,
    );
    const dear = { ...reading, cost: 1.8 };
    assert.match(overBudget(spec.budget, spent, [dear]) ?? '', /\$2 per day/);
  });

  it('keeps what an ended run used and lets go of it', () => {
    const readings = [{ ...reading, hasEnded: true }];
    const settled = settle({ spec, spent, readings, now: monday });
    assert.deepEqual(settled, { ...spent, tokens: 800, cost: 1.25, accounts: [] });
    // Not counted twice within the same plan.
    assert.equal(overBudget(spec.budget, settled, readings), undefined);
  });

  it('begins a new day with nothing, but follows what still runs', () => {
    const now = monday + 86_400_000;
    const settled = settle({ spec, spent, readings: [reading], now });
    assert.deepEqual(settled, {
      window: '2026-03-03',
      firings: 0,
      tokens: 0,
      cost: 0,
      accounts: [{ runId: 'a', since: now, tokens: 400, cost: 1 }],
    });
    assert.equal(overBudget({ per: 'day', maxTokens: 1 }, settled, [reading]), undefined);
  });

  it('does not fire where it could not follow the use', () => {
    const accounts = Array.from({ length: mostAccounts }, (_, i) => ({
      ...account,
      runId: `r${i}`,
    }));
    assert.match(overBudget(spec.budget, { ...spent, accounts }, []) ?? '', /cannot follow more/);
  });

  it('is no budget where none is set', () => {
    assert.equal(settle({ spec: { zone: 'UTC' }, spent, readings: [], now: monday }), undefined);
    assert.equal(overBudget(undefined, undefined, []), undefined);
  });
});
