import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScheduleRow } from '../store.ts';
import {
  claim,
  claimedIds,
  failsWith,
  ids,
  leasedRun,
  type OpenTestDatabase,
  onBench,
} from './kit.ts';

const plan = (id: string, more: Partial<ScheduleRow> = {}): Omit<ScheduleRow, 'version'> => ({
  id,
  agent: 'writer',
  tenant: undefined,
  runId: undefined,
  spec: { cron: '0 9 * * *', zone: 'Europe/Oslo' },
  state: 'active',
  nextAt: undefined,
  lastAt: undefined,
  createdAt: 1,
  ...more,
});

export function schedulesConformance(open: OpenTestDatabase): void {
  describe('schedules', () => {
    it(
      'keeps schedules, and refuses a change to one that changed meanwhile',
      onBench(open, async ({ store }) => {
        const first = await store.saveSchedule(
          plan('s1', { tenant: 't', runId: 'r', nextAt: 5, lastAt: 4 }),
        );
        assert.equal(first.version, 1);
        assert.deepEqual(await store.schedule('s1'), first);
        const second = await store.saveSchedule(plan('s1', { state: 'paused' }), 1);
        assert.equal(second.version, 2);
        await failsWith('seq_conflict', store.saveSchedule(plan('s1'), 1));
        await failsWith('seq_conflict', store.saveSchedule(plan('s1'), 0));
        await failsWith('seq_conflict', store.saveSchedule(plan('new'), 3));
        assert.equal((await store.saveSchedule(plan('new'), 0)).version, 1);
        assert.equal((await store.saveSchedule(plan('s1'))).version, 3);
        assert.deepEqual(ids(await store.schedules()), ['new', 's1']);
        assert.deepEqual(ids(await store.schedules({ agent: 'nobody' })), []);
        assert.deepEqual(ids(await store.schedules({ state: 'active', agent: 'writer' })), [
          'new',
          's1',
        ]);
        assert.equal(await store.deleteSchedule('new'), true);
        assert.equal(await store.deleteSchedule('new'), false);
        assert.equal(await store.schedule('new'), undefined);
      }),
    );

    it(
      'gives what is due, longest first',
      onBench(open, async ({ store }) => {
        await store.saveSchedule(plan('late', { nextAt: 90 }));
        await store.saveSchedule(plan('early', { nextAt: 10 }));
        await store.saveSchedule(plan('future', { nextAt: 101 }));
        await store.saveSchedule(plan('paused', { nextAt: 1, state: 'paused' }));
        await store.saveSchedule(plan('never'));
        assert.deepEqual(ids(await store.dueSchedules(100, 10)), ['early', 'late']);
        assert.deepEqual(ids(await store.dueSchedules(100, 1)), ['early']);
      }),
    );

    it(
      'gives one that is damaged with the others, and what is wrong with it',
      onBench(open, async ({ store, database }) => {
        for (const id of ['a', 'b', 'c']) await store.saveSchedule(plan(id, { nextAt: 10 }));
        await database.execute(
          `update schedules set spec = '{"cron":', next_at = 5 where id = 'a'`,
        );
        await database.execute(`update schedules set spec = '[]', next_at = 6 where id = 'b'`);
        const due = await store.dueSchedules(100, 10);
        assert.deepEqual(ids(due), ['a', 'b', 'c']);
        assert.equal(due[0]?.spec.text, '{"cron":');
        assert.match(String(due[0]?.spec.broken), /damaged value in schedules.spec of a/);
        assert.match(String(due[1]?.spec.broken), /not an object/);
        assert.deepEqual(due[2]?.spec, plan('c').spec);
        assert.deepEqual(ids(await store.schedules()), ['a', 'b', 'c']);
      }),
    );

    it(
      'tells whoever listens that a schedule was saved, in this process and in others',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        let here = 0;
        let isReady = false;
        const ready = Promise.withResolvers<void>();
        const there = Promise.withResolvers<void>();
        const stops = [
          store.onWake((runIds) => {
            if (runIds === undefined) here += 1;
          }),
          other.onWake((runIds) => {
            if (runIds !== undefined) ready.resolve();
            else if (isReady) there.resolve();
          }),
        ];
        await store.createRun({ id: 'r1', agent: 'x' });
        const nudge = setInterval(() => void store.send('r1', { kind: 'x', payload: 1 }), 50);
        try {
          await ready.promise; // From now on it hears by name what happens here.
          isReady = true;
          const before = here;
          await store.saveSchedule(plan('s1', { nextAt: Number.MAX_SAFE_INTEGER }));
          assert.ok(here > before);
          await there.promise;
        } finally {
          clearInterval(nudge);
          for (const stop of stops) stop();
        }
      }),
    );

    it(
      'fires once, however many notice that it is due',
      onBench(open, async ({ store, clock, connect }) => {
        const { fence } = await leasedRun(store, { id: 'talk' });
        await store.release({ runId: 'talk', fence });
        const schedule = plan('s1', { nextAt: clock.time, runId: 'talk' });
        const { version } = await store.saveSchedule(schedule);
        const stores = [store, await connect(), await connect()];
        const fired = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            (stores[index % 3] ?? store).fire({
              schedule: { ...schedule, nextAt: clock.time + 60_000, lastAt: clock.time },
              expectedVersion: version,
              firings: [
                {
                  scheduleId: 's1',
                  dueAt: clock.time,
                  at: clock.time,
                  outcome: 'fired',
                  runId: 'talk',
                },
              ],
              sends: [{ runId: 'talk', kind: 'scheduled', payload: index }],
              starts: [{ id: `run-${index}`, agent: 'writer' }],
            }),
          ),
        );
        assert.equal(fired.filter(Boolean).length, 1);
        assert.equal((await store.inbox('talk')).length, 1);
        assert.equal((await store.runs()).items.length, 2);
        const after = await store.schedule('s1');
        assert.equal(after?.version, version + 1);
        assert.equal(after?.nextAt, clock.time + 60_000);
        assert.equal((await store.firings('s1')).length, 1);
        assert.equal(claimedIds(await claim(store)).length, 2);
      }),
    );

    it(
      'fires no time twice, and writes nothing of a firing that cannot be',
      onBench(open, async ({ store }) => {
        const schedule = plan('s1', { nextAt: 10 });
        await store.saveSchedule(schedule);
        const firing = { scheduleId: 's1', dueAt: 10, at: 11, outcome: 'fired' as const };
        assert.equal(await store.fire({ schedule, expectedVersion: 1, firings: [firing] }), true);
        await failsWith(
          'already_decided',
          store.fire({
            schedule,
            expectedVersion: 2,
            firings: [{ ...firing, at: 12 }],
            starts: [{ id: 'r', agent: 'x' }],
          }),
        );
        await failsWith(
          'not_found',
          store.fire({
            schedule,
            expectedVersion: 2,
            firings: [{ ...firing, dueAt: 20 }],
            sends: [{ runId: 'gone', kind: 'k', payload: null }],
          }),
        );
        assert.equal((await store.schedule('s1'))?.version, 2);
        assert.equal(await store.run('r'), undefined);
        assert.deepEqual(await store.firings('s1'), [firing]);
        assert.equal(
          await store.fire({ schedule: plan('gone'), expectedVersion: 1, firings: [] }),
          false,
        );
      }),
    );

    it(
      'keeps the history of a schedule, newest first, and forgets it with the schedule',
      onBench(open, async ({ store }) => {
        await store.saveSchedule(plan('s1'));
        const firings = [
          { scheduleId: 's1', dueAt: 10, at: 35, outcome: 'missed' as const },
          {
            scheduleId: 's1',
            dueAt: 20,
            at: 35,
            outcome: 'skipped' as const,
            detail: 'still running',
          },
          { scheduleId: 's1', dueAt: 30, at: 35, outcome: 'fired' as const, runId: 'r9' },
        ];
        await store.fire({ schedule: plan('s1'), expectedVersion: 1, firings });
        assert.deepEqual(await store.firings('s1'), [...firings].reverse());
        assert.deepEqual(await store.firings('s1', 1), firings.slice(2));
        await store.deleteSchedule('s1');
        assert.deepEqual(await store.firings('s1'), []);
      }),
    );
  });
}
