import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ForgeError } from '@forge/core';
import type { Store } from '@forge/store';
import type { NewSchedule } from './create-schedule.ts';
import { createScheduler, type SchedulerProblem } from './create-scheduler.ts';
import {
  day,
  FakeClock,
  hour,
  minute,
  monday,
  openTestStore,
  workOn,
} from './schedule-fixtures.test.ts';
import { createSchedules } from './schedules-api.ts';

const hourly = { agent: 'helper', input: 'Look.', rule: { type: 'every', every: hour } } as const;

async function setUp(context: TestContext, around: (store: Store) => Store = (store) => store) {
  const clock = new FakeClock();
  const store = around(await openTestStore(context, clock));
  const problems: SchedulerProblem[] = [];
  const schedules = createSchedules({ store, newId: () => 's1' });
  const start = () => {
    const scheduler = createScheduler({
      store,
      wait: clock.wait,
      pollEvery: 10 * minute,
      onProblem: (problem) => problems.push(problem),
    });
    context.after(() => scheduler.stop());
    return scheduler;
  };
  const outcomes = async (id = 's1') =>
    (await store.firings(id)).map(({ outcome, dueAt }) => `${outcome} ${(dueAt - monday) / hour}`);
  const create = (fields: Partial<NewSchedule> = {}) =>
    schedules.create({ ...hourly, overlap: 'allow', ...fields });
  return { clock, store, schedules, problems, start, outcomes, create };
}

describe('createScheduler', () => {
  it('fires each due time as it comes', async (context) => {
    const { clock, store, start, outcomes, create } = await setUp(context);
    await create();
    start();
    await clock.runTo(monday + 3 * hour + minute);
    assert.deepEqual(await outcomes(), ['fired 3', 'fired 2', 'fired 1']);
    const { items } = await store.runs({ label: { name: 'schedule', value: 's1' } });
    assert.equal(items.length, 3);
    const [message] = await store.inbox(`s1.${monday + hour}`);
    assert.match(JSON.stringify(message?.payload), /Due Mon, 2 Mar 2026, 01:00:00/);
  });

  it('fires each due time once, however many schedulers there are', async (context) => {
    const { clock, store, start, create } = await setUp(context);
    for (let i = 0; i < 10; i += 1) await create({ id: `s${i}` });
    for (let i = 0; i < 5; i += 1) start();
    await clock.runTo(monday + 5 * hour, 5);
    for (let i = 0; i < 10; i += 1) {
      const firings = await store.firings(`s${i}`);
      assert.deepEqual(
        firings.map(({ outcome }) => outcome),
        Array(5).fill('fired'),
      );
    }
    assert.equal((await store.runs()).items.length, 50);
  });

  it('makes up for what it missed while nobody was there', async (context) => {
    const { clock, start, outcomes, create } = await setUp(context);
    await create();
    const first = start();
    await clock.runTo(monday + hour);
    await first.stop();
    clock.set(monday + 5 * hour + 30 * minute);
    start();
    await clock.asleep();
    assert.deepEqual(await outcomes(), ['fired 5', 'missed 2', 'fired 1']);
  });

  it('leaves a firing due when it dies before it is written, and does it again', async (context) => {
    let isDown = true;
    const { clock, store, start, outcomes, problems, create } = await setUp(context, (store) => ({
      ...store,
      fire: (plan) => (isDown ? Promise.reject(new Error('disk full')) : store.fire(plan)),
    }));
    await create();
    start();
    await clock.runTo(monday + hour);
    assert.deepEqual(await outcomes(), []);
    assert.equal(problems[0]?.scheduleId, 's1');
    isDown = false;
    await clock.runTo(monday + hour + minute);
    assert.deepEqual(await outcomes(), ['fired 1']);
    assert.equal((await store.runs()).items.length, 1);
  });

  it('waits longer after each failure, and lets no other schedule wait', async (context) => {
    const { clock, start, outcomes, problems, create } = await setUp(context, (store) => ({
      ...store,
      fire: (plan) =>
        plan.schedule.id === 'bad' ? Promise.reject(new Error('no')) : store.fire(plan),
    }));
    await create({ id: 'bad' });
    await create({ id: 'good' });
    start();
    await clock.runTo(monday + 4 * hour + minute);
    assert.deepEqual(await outcomes('good'), ['fired 4', 'fired 3', 'fired 2', 'fired 1']);
    assert.ok(problems.length > 5 && problems.length < 60, `${problems.length} problems`);
  });

  it('survives a store that fails', async (context) => {
    let fails = 3;
    const { clock, start, outcomes, problems, create } = await setUp(context, (store) => ({
      ...store,
      dueSchedules: (now, limit) => {
        fails -= 1;
        return fails >= 0 ? Promise.reject(new Error('busy')) : store.dueSchedules(now, limit);
      },
    }));
    await create();
    start();
    await clock.runTo(monday + hour);
    assert.equal(problems.length, 3);
    assert.deepEqual(await outcomes(), ['fired 1']);
  });

  it('puts a schedule aside that nobody can read', async (context) => {
    const { clock, store, schedules, start, problems } = await setUp(context);
    await store.saveSchedule({
      id: 'odd',
      agent: 'helper',
      tenant: undefined,
      runId: undefined,
      spec: { v: 99 },
      state: 'active',
      nextAt: monday,
      lastAt: undefined,
      createdAt: monday,
    });
    start();
    await clock.asleep();
    assert.equal((await store.schedule('odd'))?.state, 'paused');
    const [firing] = await store.firings('odd');
    assert.match(firing?.detail ?? '', /cannot be read/);
    assert.ok(ForgeError.is(problems[0]?.error, 'invalid_options'));
    const [shown] = await schedules.list();
    assert.match(shown?.warnings[0] ?? '', /cannot be read/);
    assert.equal((await schedules.cancel('odd')).state, 'ended');
  });

  it('moves on where a time is in the history already', async (context) => {
    const { clock, store, start, outcomes, create } = await setUp(context);
    await create();
    const row = await store.schedule('s1');
    assert.ok(row);
    const { version, ...schedule } = row;
    const dueAt = monday + hour;
    const note = { scheduleId: 's1', dueAt, at: monday, outcome: 'skipped' as const };
    await store.fire({ schedule, expectedVersion: version, firings: [note] });
    start();
    await clock.runTo(monday + 2 * hour);
    assert.deepEqual(await outcomes(), ['fired 2', 'skipped 1']);
  });

  it('looks at once when it is woken, and when the store says so', async (context) => {
    const listeners: ((runIds: readonly string[] | undefined) => void)[] = [];
    const { clock, start, outcomes, create } = await setUp(context, (store) => ({
      ...store,
      onWake: (listener) => {
        listeners.push(listener);
        return () => listeners.splice(0);
      },
    }));
    const scheduler = start();
    await clock.asleep();
    await create({ id: 'a', rule: { type: 'once', after: 10 } });
    clock.set(monday + 10);
    scheduler.wake();
    await clock.asleep();
    assert.deepEqual(await outcomes('a'), [`fired ${10 / hour}`]);
    await create({ id: 'b', rule: { type: 'once', after: 10 } });
    clock.set(monday + 20);
    listeners[0]?.(['some-run']);
    listeners[0]?.(undefined);
    await clock.asleep();
    assert.deepEqual(await outcomes('b'), [`fired ${20 / hour}`]);
    await scheduler.stop();
    assert.equal(listeners.length, 0);
  });

  it('fires nothing after it was stopped', async (context) => {
    const { clock, start, outcomes, create } = await setUp(context);
    await create();
    const scheduler = start();
    await clock.asleep();
    await scheduler.stop();
    clock.set(monday + hour);
    assert.deepEqual(await outcomes(), []);
  });

  it('skips while its run is at work, and fires again when that has ended', async (context) => {
    const { clock, store, start, outcomes, create } = await setUp(context);
    await create({ overlap: 'skip' });
    start();
    await clock.runTo(monday + 2 * hour);
    assert.deepEqual(await outcomes(), ['skipped 2', 'fired 1']);
    await workOn(store, `s1.${monday + hour}`, { end: 'completed' });
    await clock.runTo(monday + 3 * hour);
    assert.deepEqual(await outcomes(), ['fired 3', 'skipped 2', 'fired 1']);
  });

  it('does not wait for ever for a run that waits for a person', async (context) => {
    const { clock, store, start, outcomes, create } = await setUp(context);
    await create({ overlap: 'skip', patience: 2 * hour });
    start();
    await clock.runTo(monday + hour);
    await workOn(store, `s1.${monday + hour}`);
    await clock.runTo(monday + 3 * hour);
    assert.deepEqual(await outcomes(), ['fired 3', 'skipped 2', 'fired 1']);
  });

  it('fires what waited soon after its run has ended', async (context) => {
    const { clock, store, start, outcomes, create } = await setUp(context);
    await create({ overlap: 'buffer_all' });
    start();
    await clock.runTo(monday + 3 * hour);
    assert.deepEqual(await outcomes(), ['fired 1']);
    await workOn(store, `s1.${monday + hour}`, { end: 'completed' });
    await clock.runTo(monday + 3 * hour + 10 * minute);
    assert.deepEqual(await outcomes(), ['fired 2', 'fired 1']);
    await workOn(store, `s1.${monday + 2 * hour}`, { end: 'completed' });
    await clock.runTo(monday + 3 * hour + 20 * minute);
    assert.deepEqual(await outcomes(), ['fired 3', 'fired 2', 'fired 1']);
  });

  it('cancels the run before it where that is the policy', async (context) => {
    const { clock, store, start, create } = await setUp(context);
    await create({ overlap: 'cancel_other' });
    start();
    await clock.runTo(monday + 2 * hour);
    const heard = await workOn(store, `s1.${monday + hour}`, { end: 'cancelled' });
    assert.match(heard.at(-1) ?? '', /^cancel .*schedule s1/);
  });

  it('speaks in a conversation, and not again before that was read', async (context) => {
    const { clock, store, start, outcomes, schedules } = await setUp(context);
    await store.createRun({ id: 'chat', agent: 'helper' });
    await schedules.create({ runId: 'chat', input: 'Ask.', rule: hourly.rule });
    start();
    await clock.runTo(monday + 2 * hour);
    assert.deepEqual(await outcomes(), ['skipped 2', 'fired 1']);
    const heard = await workOn(store, 'chat');
    assert.match(heard[0] ?? '', /^input .*Ask\./);
    await clock.runTo(monday + 3 * hour);
    assert.deepEqual(await outcomes(), ['fired 3', 'skipped 2', 'fired 1']);
    assert.equal((await store.runs()).items.length, 1);
  });

  it('starts a new run when its conversation has ended or is gone', async (context) => {
    const { clock, store, start, schedules } = await setUp(context);
    await store.createRun({ id: 'chat', agent: 'helper' });
    await schedules.create({ runId: 'chat', input: 'Ask.', rule: hourly.rule, overlap: 'allow' });
    await workOn(store, 'chat', { end: 'completed' });
    start();
    await clock.runTo(monday + hour);
    const run = await store.run(`s1.${monday + hour}`);
    assert.equal(run?.agent, 'helper');
    clock.set(monday + hour + minute);
    assert.equal(await store.prune({ endedBefore: monday + hour }), 1);
    await clock.runTo(monday + 2 * hour);
    assert.ok(await store.run(`s1.${monday + 2 * hour}`));
  });

  it('keeps to its budget of tokens, and fires again on the next day', async (context) => {
    const { clock, store, start, outcomes, create } = await setUp(context);
    await create({ overlap: 'skip', budget: { per: 'day', maxTokens: 1_000 } });
    start();
    await clock.runTo(monday + hour);
    await workOn(store, `s1.${monday + hour}`, { end: 'completed', tokens: 600 });
    await clock.runTo(monday + 2 * hour);
    await workOn(store, `s1.${monday + 2 * hour}`, { end: 'completed', tokens: 400 });
    await clock.runTo(monday + 3 * hour);
    assert.deepEqual(await outcomes(), ['skipped 3', 'fired 2', 'fired 1']);
    const [skipped] = await store.firings('s1', 1);
    assert.match(skipped?.detail ?? '', /1000 tokens per day is used up/);
    await clock.runTo(monday + day);
    assert.equal((await outcomes())[0], 'fired 24');
  });
});
