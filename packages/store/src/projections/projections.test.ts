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
        const whole = dailyTotals(all);
        assert.deepEqual(
          ledger.rows(),
          whole === undefined ? [] : [{ day: '1970-01-01', agent: 'x', totals: whole }],
        );
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

  it('know the day of a time in UTC', () => {
    assert.equal(dayOf(Date.UTC(2026, 0, 1) - 1), '2025-12-31');
    assert.equal(dayOf(Date.UTC(2026, 0, 1)), '2026-01-01');
  });
});
