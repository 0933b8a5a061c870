import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '@forge/core';
import fc from 'fast-check';
import {
  finished,
  note,
  replied,
  requested,
  started,
  toolFinished,
  toolStarted,
} from '../conformance/happenings.ts';
import { fromNanos, toNanos } from './counts.ts';
import { DailyLedger, dailyTotals, dayOf } from './daily-totals.ts';
import { addTotals, noTotals, runTotals } from './run-totals.ts';

const count = fc.oneof(
  fc.nat(1_000_000),
  fc.constantFrom(Number.NaN, 1.5, Number.POSITIVE_INFINITY),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.constantFrom(
    started(),
    requested(),
    requested(1, 'a:small'),
    toolStarted(),
    toolFinished('ok'),
    toolFinished('error'),
    note('x'),
  ),
  fc.constantFrom(finished('completed'), finished('failed'), finished('cancelled')),
  fc
    .record(
      {
        usage: fc.record(
          {
            inputTokens: count,
            outputTokens: count,
            cachedInputTokens: count,
            cacheWriteTokens: count,
            reasoningTokens: count,
          },
          { requiredKeys: ['inputTokens', 'outputTokens'] },
        ),
        cost: fc.double({ min: 0, max: 10 }),
        model: fc.constantFrom('a:small', 'b:large', '', 'x'.repeat(300), 'nul\0'),
      },
      { requiredKeys: [] },
    )
    .map(replied),
);

describe('projections', () => {
  it('add up to the same, however the log is cut into steps', () => {
    fc.assert(
      fc.property(fc.array(fc.array(happening)), (steps) => {
        const all = steps.flat();
        const bySteps = steps.map(runTotals).reduce(addTotals, noTotals);
        assert.deepEqual(bySteps, runTotals(all));

        const ledger = new DailyLedger();
        for (const each of all) ledger.add({ agent: 'x', at: 0, happening: each });
        const whole = dailyTotals(all).map((each) => ({ day: '1970-01-01', agent: 'x', ...each }));
        assert.deepEqual(ledger.rows(), whole);
      }),
    );
  });

  it('keep money exact where fractions are not', () => {
    const tenth = replied({ cost: 0.1 });
    const { costNano } = runTotals([tenth, tenth, tenth]);
    assert.equal(fromNanos(costNano), 0.3);
    assert.equal(toNanos(undefined), 0);
    assert.equal(toNanos(Number.NaN), 0);
  });

  it('count a turn for the model that was asked, and a reply for the one that answered', () => {
    const usage = { inputTokens: 7, outputTokens: 2 };
    const rows = dailyTotals([
      started(),
      requested(1, 'fallback(a, b)'),
      replied({ model: 'b', usage, cost: 0.5 }),
      requested(2),
      replied({ usage }),
    ]);
    const figures = rows.map(({ model, totals }) => [
      model,
      totals.runs_started,
      totals.turns,
      totals.replies,
      totals.input_tokens,
      totals.cost_nano,
    ]);
    assert.deepEqual(figures, [
      ['', 1, 1, 1, 7, 0],
      ['fallback(a, b)', 0, 1, 0, 0, 0],
      ['b', 0, 0, 1, 7, toNanos(0.5)],
    ]);
  });

  it('know the day of a time in UTC', () => {
    assert.equal(dayOf(Date.UTC(2026, 0, 1) - 1), '2025-12-31');
    assert.equal(dayOf(Date.UTC(2026, 0, 1)), '2026-01-01');
  });
});
