import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nextTime, nextTimes } from './next-time.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());
const cronTimes = (cron: string, zone: string, from: string, count: number) =>
  iso(nextTimes({ rule: { type: 'cron', cron }, zone }, at(from), count));

describe('nextTime', () => {
  it('gives a single time once', () => {
    const timetable = { rule: { type: 'once' as const, at: 1_000 }, zone: 'UTC' };
    assert.equal(nextTime(timetable, 999), 1_000);
    assert.equal(nextTime(timetable, 1_000), undefined);
  });

  it('keeps an interval to its anchor, however late it is asked', () => {
    const timetable = { rule: { type: 'every' as const, every: 60_000, from: 7_000 }, zone: 'UTC' };
    assert.equal(nextTime(timetable, 0), 7_000);
    assert.equal(nextTime(timetable, 7_000), 67_000);
    assert.equal(nextTime(timetable, 600_123), 607_000);
  });

  it('has no time after the end', () => {
    const rule = { type: 'every' as const, every: 1_000, from: 0 };
    assert.equal(nextTime({ rule, zone: 'UTC', until: 5_000 }, 4_000), 5_000);
    assert.equal(nextTime({ rule, zone: 'UTC', until: 5_000 }, 5_000), undefined);
  });

  it('moves a daily time out of the spring gap, on the same day', () => {
    assert.deepEqual(cronTimes('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3), [
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    assert.deepEqual(cronTimes('30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', 2), [
      '2026-03-08T07:00:00.000Z',
      '2026-03-09T06:30:00.000Z',
    ]);
  });

  it('fires a daily time once in the autumn double hour', () => {
    assert.deepEqual(cronTimes('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2), [
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    assert.deepEqual(cronTimes('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 2), [
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ]);
  });

  it('keeps the rhythm of a rule within the day through both', () => {
    assert.deepEqual(cronTimes('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 3), [
      '2026-03-29T00:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ]);
    assert.deepEqual(cronTimes('0 * * * *', 'America/New_York', '2026-11-01T04:30Z', 4), [
      '2026-11-01T05:00:00.000Z',
      '2026-11-01T06:00:00.000Z',
      '2026-11-01T07:00:00.000Z',
      '2026-11-01T08:00:00.000Z',
    ]);
  });

  it('knows leap days and the ends of months', () => {
    assert.deepEqual(cronTimes('0 0 29 2 *', 'UTC', '2026-03-01T00:00Z', 2), [
      '2028-02-29T00:00:00.000Z',
      '2032-02-29T00:00:00.000Z',
    ]);
    assert.deepEqual(cronTimes('0 12 L * *', 'UTC', '2026-01-15T00:00Z', 3), [
      '2026-01-31T12:00:00.000Z',
      '2026-02-28T12:00:00.000Z',
      '2026-03-31T12:00:00.000Z',
    ]);
    assert.deepEqual(cronTimes('0 0 31 * *', 'UTC', '2026-01-31T00:00Z', 2), [
      '2026-03-31T00:00:00.000Z',
      '2026-05-31T00:00:00.000Z',
    ]);
    assert.equal(
      nextTime({ rule: { type: 'cron', cron: '0 0 30 2 *' }, zone: 'UTC' }, at('2026-01-01')),
      undefined,
    );
  });

  it('is after the moment it is asked for, and leaves no interval out', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 1e9 }),
        fc.integer({ min: 0, max: 2e12 }),
        fc.integer({ min: 0, max: 2e12 }),
        (every, from, after) => {
          const next = nextTime({ rule: { type: 'every', every, from }, zone: 'UTC' }, after);
          assert.ok(next !== undefined && next > after && (next - from) % every === 0);
          assert.ok(next === from || next - every <= after);
        },
      ),
    );
  });

  it('rises strictly by a cron rule, from any moment to the same times', () => {
    const rules = ['*/7 * * * *', '30 2 * * *', '0 0 L * *', '0 9 * * 1-5', '15 1,2,3 * * *'];
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'];
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        fc.constantFrom(...zones),
        fc.integer({ min: at('2026-01-01'), max: at('2028-01-01') }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cron, zone, from, part) => {
          const timetable = { rule: { type: 'cron' as const, cron }, zone };
          const [first = 0, second = 0] = nextTimes(timetable, from, 2);
          assert.ok(first > from && second > first);
          // Asked anywhere between two times, the later one comes next.
          const between = first + Math.floor((second - first - 1) * part);
          assert.equal(nextTime(timetable, between), second);
        },
      ),
      { numRuns: 200 },
    );
  });
});
