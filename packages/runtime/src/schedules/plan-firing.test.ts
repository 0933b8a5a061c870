import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nextTimes } from './next-time.ts';
import { planFiring, type Situation } from './plan-firing.ts';
import { day, hour, minute, monday, rowOf, storedOf } from './schedule-fixtures.test.ts';
import type { ScheduleSpec } from './schedule-spec.ts';
import type { Recent, StoredSchedule } from './stored-schedule.ts';
import { readStored } from './stored-schedule.ts';

const calm: Situation = { running: [], readings: [] };
const due = monday + hour;
const busy: Recent = { kind: 'run', runId: 'mail.1', dueAt: monday, at: monday };

interface Case {
  readonly spec?: Partial<ScheduleSpec>;
  readonly progress?: Partial<StoredSchedule['progress']>;
  readonly now?: number;
  readonly situation?: Partial<Situation>;
  readonly runId?: string;
}

function planOf({ spec, progress, now = due, situation, runId }: Case = {}) {
  const stored = storedOf(spec, progress);
  const row = rowOf(stored, { runId });
  const plan = planFiring({ row, stored, now, situation: { ...calm, ...situation } });
  const after = readStored({ id: row.id, spec: plan.schedule.spec });
  return { ...plan, after, outcomes: plan.firings.map(({ outcome }) => outcome) };
}

function textOf(plan: ReturnType<typeof planOf>): string {
  const message = plan.sends?.find(({ kind }) => kind === 'input') ?? plan.starts?.[0]?.inbox?.[0];
  return JSON.stringify(message?.payload);
}

const every = (ms: number) => ({ type: 'every' as const, every: ms, from: due });

describe('planFiring', () => {
  it('starts a run of its own and goes on to the next time', () => {
    const plan = planOf({ spec: { name: 'Mail', labels: { project: 'p' } } });
    assert.deepEqual(plan.firings, [
      { scheduleId: 'mail', dueAt: due, at: due, outcome: 'fired', runId: `mail.${due}` },
    ]);
    const [start] = plan.starts ?? [];
    assert.equal(start?.id, `mail.${due}`);
    assert.equal(start?.agent, 'helper');
    assert.deepEqual(start?.labels, { project: 'p', schedule: 'mail' });
    assert.match(textOf(plan), /Schedule \\"Mail\\" \(mail\).*Due Mon, 2 Mar 2026, 01:00:00 GMT/);
    assert.match(textOf(plan), /Look at the mail/);
    assert.doesNotMatch(textOf(plan), /late|missed/);
    assert.equal(plan.schedule.nextAt, due + hour);
    assert.equal(plan.schedule.lastAt, due);
    assert.equal(plan.expectedVersion, 1);
  });

  it('speaks in the conversation it names', () => {
    const target = { state: 'open' as const, tokens: 0, cost: 0 };
    const plan = planOf({ runId: 'chat', situation: { target } });
    assert.equal(plan.starts?.length, 0);
    assert.equal(plan.sends?.[0]?.runId, 'chat');
    assert.equal(plan.sends?.[0]?.source, `schedule:mail:${due}`);
    assert.equal(plan.firings[0]?.runId, 'chat');
  });

  it('starts a new run where the conversation is over, and says so', () => {
    for (const state of ['completed', 'failed', 'gone'] as const) {
      const plan = planOf({ runId: 'chat', situation: { target: { state, tokens: 0, cost: 0 } } });
      assert.equal(plan.starts?.length, 1, state);
      assert.match(textOf(plan), /conversation chat it belongs to is over/);
      assert.match(plan.firings[0]?.detail ?? '', /is over/);
    }
  });

  it('pauses where the conversation was cancelled', () => {
    const target = { state: 'cancelled' as const, tokens: 0, cost: 0 };
    const plan = planOf({ runId: 'chat', situation: { target } });
    assert.equal(plan.schedule.state, 'paused');
    assert.deepEqual(plan.outcomes, ['skipped']);
    assert.equal(plan.starts ?? plan.sends, undefined);
  });

  it('ends after its only time, its last count, and its end', () => {
    const once = planOf({ spec: { rule: { type: 'once', at: due } } });
    assert.equal(once.schedule.state, 'ended');
    assert.equal(once.schedule.nextAt, undefined);
    assert.equal(once.after.progress.endedAt, due);
    assert.equal(planOf({ spec: { maxCount: 1 } }).schedule.state, 'ended');
    assert.equal(planOf({ spec: { until: due + minute } }).schedule.state, 'ended');
    assert.equal(planOf({ spec: { maxCount: 2 } }).schedule.state, 'active');
  });

  describe('missed times', () => {
    const now = due + 5 * hour + 30 * minute;

    it('fire once by default and say how many there were', () => {
      const plan = planOf({ now });
      assert.deepEqual(plan.outcomes, ['missed', 'fired']);
      assert.equal(plan.firings[0]?.dueAt, due);
      assert.match(plan.firings[0]?.detail ?? '', /^5 due times passed/);
      assert.equal(plan.firings[1]?.dueAt, due + 5 * hour);
      assert.equal(plan.firings[1]?.detail, '30 minutes late');
      assert.match(
        textOf(plan),
        /It comes 30 minutes late\. 5 earlier times were missed since Mon/,
      );
      assert.equal(plan.schedule.nextAt, due + 6 * hour);
    });

    it('do not fire where they are skipped, but are noted', () => {
      const missed = { policy: 'skip' as const, cap: 10 };
      const plan = planOf({ now, spec: { missed } });
      assert.deepEqual(plan.outcomes, ['missed']);
      assert.match(plan.firings[0]?.detail ?? '', /^6 due times passed.*skip them/);
      assert.equal(plan.schedule.nextAt, due + 6 * hour);
      const onTime = planOf({ now: due + 5 * hour + 10, spec: { missed } });
      assert.deepEqual(onTime.outcomes, ['missed', 'fired']);
    });

    it('fire all up to the cap, one after the other', () => {
      const plan = planOf({ now, spec: { missed: { policy: 'all', cap: 3 } } });
      assert.deepEqual(plan.outcomes, ['missed', 'fired']);
      assert.match(plan.firings[0]?.detail ?? '', /^3 due times/);
      assert.equal(plan.firings[1]?.dueAt, due + 3 * hour);
      assert.deepEqual(
        plan.after.progress.waiting.map(({ dueAt }) => dueAt),
        [due + 4 * hour, due + 5 * hour],
      );
    });

    it('fire all at once where they may overlap', () => {
      const missed = { policy: 'all' as const, cap: 10 };
      const plan = planOf({ now, spec: { missed, overlap: 'allow' } });
      assert.deepEqual(
        plan.outcomes,
        Array.from({ length: 6 }, () => 'fired'),
      );
      assert.equal(plan.starts?.length, 6);
    });

    it('are made up for once when there is only one', () => {
      const plan = planOf({ now: due + 3 * day, spec: { rule: { type: 'once', at: due } } });
      assert.deepEqual(plan.outcomes, ['fired']);
      assert.match(textOf(plan), /It comes 3 days late\./);
    });
  });

  describe('overlap', () => {
    const running = [busy];

    it('skips by default, with the reason', () => {
      const plan = planOf({ situation: { running } });
      assert.deepEqual(plan.outcomes, ['skipped']);
      assert.match(plan.firings[0]?.detail ?? '', /run mail\.1\) is still under way/);
      assert.deepEqual(plan.after.progress.recent, running);
    });

    it('keeps one, or all, and looks again soon', () => {
      const waiting = [{ dueAt: due - hour }];
      const first = planOf({ spec: { overlap: 'buffer_one' }, situation: { running } });
      assert.deepEqual(first.after.progress.waiting, [{ dueAt: due }]);
      assert.equal(first.schedule.nextAt, due + 1_000);
      const spec = { overlap: 'buffer_one' as const };
      const second = planOf({ spec, progress: { waiting }, situation: { running } });
      assert.deepEqual(second.after.progress.waiting, waiting);
      assert.deepEqual(second.outcomes, ['skipped']);
      assert.equal(second.schedule.nextAt, due + 5 * minute);
      const all = planOf({
        spec: { overlap: 'buffer_all' },
        progress: { waiting },
        situation: { running },
      });
      assert.equal(all.after.progress.waiting.length, 2);
    });

    it('fires what waited once the way is free, before its rule is due again', () => {
      const progress = { waiting: [{ dueAt: due }], nextDue: due + hour };
      const now = due + 20 * minute;
      const plan = planOf({ spec: { overlap: 'buffer_one' }, progress, now });
      assert.deepEqual(
        plan.firings.map(({ dueAt }) => dueAt),
        [due],
      );
      assert.equal(plan.after.progress.nextDue, due + hour);
      assert.equal(plan.schedule.nextAt, due + hour);
    });

    it('lets no more than a hundred wait', () => {
      const waiting = Array.from({ length: 100 }, (_, index) => ({ dueAt: due - 101 + index }));
      const plan = planOf({
        spec: { overlap: 'buffer_all' },
        progress: { waiting },
        situation: { running },
      });
      assert.equal(plan.after.progress.waiting.length, 100);
      assert.deepEqual(plan.outcomes, ['skipped']);
    });

    it('cancels the other', () => {
      const plan = planOf({ spec: { overlap: 'cancel_other' }, situation: { running } });
      assert.equal(plan.sends?.[0]?.kind, 'cancel');
      assert.equal(plan.sends?.[0]?.runId, 'mail.1');
      assert.deepEqual(
        plan.after.progress.recent.map(({ runId }) => runId),
        [`mail.${due}`],
      );
    });

    it('interrupts in a conversation instead of cancelling it', () => {
      const target = { state: 'open' as const, tokens: 0, cost: 0 };
      const before: Recent = { ...busy, kind: 'message', runId: 'chat' };
      const plan = planOf({
        spec: { overlap: 'cancel_other' },
        runId: 'chat',
        situation: { target, running: [before] },
      });
      assert.deepEqual(
        plan.sends?.map(({ kind }) => kind),
        ['input'],
      );
      assert.match(textOf(plan), /"mode":"interrupt"/);
    });

    it('fires beside the other where that is allowed', () => {
      const plan = planOf({ spec: { overlap: 'allow' }, situation: { running } });
      assert.deepEqual(plan.outcomes, ['fired']);
    });
  });

  it('does not fire over its budget, and says why', () => {
    const budget = { per: 'day' as const, maxFirings: 2 };
    const spent = { window: '2026-03-02', firings: 2, tokens: 0, cost: 0, accounts: [] };
    const plan = planOf({ spec: { budget }, progress: { spent } });
    assert.deepEqual(plan.outcomes, ['skipped']);
    assert.match(plan.firings[0]?.detail ?? '', /2 firings per day is used up/);
    const nextDay = planOf({ spec: { budget }, progress: { spent }, now: due + day });
    assert.equal(nextDay.after.progress.spent?.firings, 1);
  });

  it('does not fire again what is in its history', () => {
    const plan = planOf({ situation: { taken: new Set([due]) } });
    assert.deepEqual(plan.firings, []);
    assert.equal(plan.starts?.length, 0);
    assert.equal(plan.schedule.nextAt, due + hour);
  });

  it('does not go back with a clock that was set back', () => {
    const plan = planOf({ progress: { nextDue: due + 3 * hour }, now: due });
    assert.deepEqual(plan.firings, []);
    assert.equal(plan.schedule.nextAt, due + 3 * hour);
  });

  it('accounts for every due time exactly once, whatever happens between', () => {
    const step = fc.record({
      wait: fc.integer({ min: 1, max: 8 * hour }),
      isBusy: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.constantFrom('skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow'),
        fc.constantFrom('once', 'skip', 'all'),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        (overlap, policy, steps) => {
          const spec = { rule: every(40 * minute), overlap, missed: { policy, cap: 4 } } as const;
          let stored = storedOf(spec);
          let now = due;
          const seen: number[] = [];
          let missed = 0;
          for (const { wait, isBusy } of steps) {
            const running = isBusy ? stored.progress.recent : [];
            const row = rowOf(stored);
            const plan = planFiring({ row, stored, now, situation: { ...calm, running } });
            for (const { outcome, dueAt, detail = '' } of plan.firings) {
              if (outcome === 'missed') missed += Number(/^(\d+) due/.exec(detail)?.[1]);
              else seen.push(dueAt);
            }
            assert.ok((plan.schedule.nextAt ?? 0) > now);
            stored = readStored({ id: row.id, spec: plan.schedule.spec });
            now += wait;
          }
          const last = now - (steps.at(-1)?.wait ?? 0);
          const all = nextTimes(stored.spec, due - 1, 500).filter((time) => time <= last);
          const known = [...seen, ...stored.progress.waiting.map(({ dueAt }) => dueAt)];
          assert.equal(new Set(known).size, known.length, 'no due time twice');
          assert.equal(known.length + missed, all.length, 'none lost');
          assert.ok(known.every((time) => all.includes(time)));
        },
      ),
      { numRuns: 300 },
    );
  });
});
