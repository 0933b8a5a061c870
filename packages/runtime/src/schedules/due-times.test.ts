import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dueTimes, mostCounted } from './due-times.ts';
import { nextTime, nextTimes } from './next-time.ts';

const start = Date.parse('2026-10-01T00:00Z');

describe('dueTimes', () => {
  it('has the same times as asking for one after the other', () => {
    const timetables = [
      { rule: { type: 'every' as const, every: 3_600_000, from: start + 17 }, zone: 'UTC' },
      { rule: { type: 'cron' as const, cron: '30 2 * * *' }, zone: 'Europe/Berlin' },
      { rule: { type: 'cron' as const, cron: '0 */3 * * *' }, zone: 'America/New_York' },
      { rule: { type: 'once' as const, at: start + 5 }, zone: 'UTC' },
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...timetables),
        fc.integer({ min: 0, max: 45 * 86_400_000 }),
        fc.integer({ min: 1, max: 20 }),
        (timetable, span, keep) => {
          const now = start + span;
          const limit = timetable.rule.type === 'every' ? 2_000 : 400;
          const first = nextTime(timetable, start) ?? 0;
          const all = nextTimes(timetable, start, limit).filter((time) => time <= now);
          const due = dueTimes(timetable, { first, now, keep });
          assert.equal(due?.count ?? 0, all.length);
          assert.deepEqual(due?.latest ?? [], all.slice(-keep));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('stops counting where it would take long, and still finds the last times', () => {
    const timetable = { rule: { type: 'cron' as const, cron: '* * * * *' }, zone: 'UTC' };
    const now = start + 365 * 86_400_000;
    const due = dueTimes(timetable, { first: start, now, keep: 3 });
    assert.deepEqual(due, {
      first: start,
      count: mostCounted,
      isMore: true,
      latest: [now - 120_000, now - 60_000, now],
    });
  });

  it('counts an interval of years without walking it', () => {
    const rule = { type: 'every' as const, every: 1_000, from: 0 };
    const due = dueTimes({ rule, zone: 'UTC' }, { first: 0, now: 3e12, keep: 2 });
    assert.deepEqual(due?.latest, [3e12 - 1_000, 3e12]);
    assert.equal(due?.count, 3e9 + 1);
  });

  it('has nothing due after the end', () => {
    const rule = { type: 'every' as const, every: 1_000, from: 0 };
    const due = dueTimes({ rule, zone: 'UTC', until: 2_500 }, { first: 0, now: 9_000, keep: 9 });
    assert.deepEqual(due?.latest, [0, 1_000, 2_000]);
  });
});
