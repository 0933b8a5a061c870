import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { checkSpec, type NewSpec } from './new-schedule.ts';
import { hour, minute, monday } from './schedule-fixtures.test.ts';

const check = (fields: Partial<NewSpec>) =>
  checkSpec(
    { rule: { type: 'every', every: hour }, input: 'Look.', ...fields },
    { now: monday, minInterval: minute },
  );

describe('checkSpec', () => {
  it('fills in what is not said', () => {
    const spec = check({});
    assert.deepEqual(spec.rule, { type: 'every', every: hour, from: monday + hour });
    assert.deepEqual(spec.missed, { policy: 'once', cap: 10 });
    assert.equal(spec.overlap, 'skip');
    assert.equal(spec.zone, 'UTC');
    assert.deepEqual(check({ rule: { type: 'once', after: 90_000 } }).rule, {
      type: 'once',
      at: monday + 90_000,
    });
    const berlin = check({ zone: 'Europe/Berlin', rule: { type: 'once', at: '2026-03-02T09:00' } });
    assert.deepEqual(berlin.rule, { type: 'once', at: monday + 8 * hour });
  });

  const wrong: readonly (readonly [string, Partial<NewSpec>, RegExp])[] = [
    [
      'a bad cron rule',
      { rule: { type: 'cron', cron: '61 * * * *' } },
      /rule\.cron: .*minute.*0 9/,
    ],
    [
      'a date for a cron rule',
      { rule: { type: 'cron', cron: '2026-01-01T00:00:00' } },
      /rule\.cron/,
    ],
    ['a bare offset for a zone', { zone: '+02:00' }, /zone: not an IANA time zone/],
    ['an unknown zone', { zone: 'Europe/Atlantis' }, /zone: .*Europe\/Berlin/],
    ['a time that has passed', { rule: { type: 'once', at: monday - 1 } }, /rule\.at: .*never due/],
    [
      'a day that never comes',
      { rule: { type: 'cron', cron: '0 0 30 2 *' } },
      /rule\.cron: .*never/,
    ],
    ['text that is no time', { rule: { type: 'once', at: 'soon' } }, /rule\.at: "soon" is no time/],
    ['an end that has passed', { until: monday - 1 }, /rule\.every: .*never due/],
    [
      'too short an interval',
      { rule: { type: 'every', every: 5_000 } },
      /rule\.every: .*5 seconds.*1 minute/,
    ],
    [
      'too busy a cron rule',
      { rule: { type: 'cron', cron: '*/10 * * * * *' } },
      /rule\.cron: .*10 seconds/,
    ],
    ['no input', { input: '  ' }, /schedule\.input/],
    ['an empty budget', { budget: { per: 'day' } }, /budget: give at least one/],
    ['a cap without end', { missed: { policy: 'all', cap: 1e6 } }, /missed\.cap/],
  ];
  for (const [what, fields, message] of wrong) {
    it(`refuses ${what} and names the field`, () => {
      assert.throws(
        () => check(fields),
        (error) => {
          assert.ok(ForgeError.is(error, 'invalid_options'));
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});
