import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type JsonObject, ToolResolutionError } from '@forge/core';
import { createScheduler } from './create-scheduler.ts';
import {
  FakeClock,
  hour,
  minute,
  monday,
  openTestStore,
  workOn,
} from './schedule-fixtures.test.ts';
import { type ScheduleToolsOptions, scheduleTools } from './schedule-tools.ts';
import { createSchedules } from './schedules-api.ts';

async function setUp(context: TestContext, options: Partial<ScheduleToolsOptions> = {}) {
  const clock = new FakeClock();
  const store = await openTestStore(context, clock);
  await store.createRun({ id: 'chat', agent: 'helper' });
  await store.createRun({ id: 'other', agent: 'helper' });
  const schedules = createSchedules({ store, zone: 'Europe/Berlin' });
  const tools = scheduleTools({ schedules, store, ...options });
  let calls = 0;
  const call = async (name: string, args: JsonObject, runId = 'chat', key = `key${++calls}`) => {
    const tool = tools.find(({ spec }) => spec.name === name);
    const { signal } = new AbortController();
    return String(await tool?.run?.(args, { runId, callId: key, idempotencyKey: key, signal }));
  };
  const only = async () => {
    const [view] = await schedules.list();
    assert.ok(view);
    return view;
  };
  return { clock, store, schedules, tools, call, only };
}

describe('scheduleTools', () => {
  it('sets a reminder that comes back to the same conversation', async (context) => {
    const { clock, store, call, only } = await setUp(context);
    const said = await call('create_schedule', { message: 'Tea is ready.', in_seconds: 240 });
    const { id, runId } = await only();
    assert.equal(runId, 'chat');
    assert.match(said, new RegExp(`^Created schedule ${id}: once, Mon, 2 Mar 2026, 01:04:00 GMT`));
    assert.match(said, /Next: Mon, 2 Mar 2026, 01:04:00 GMT\+1\./);
    const scheduler = createScheduler({ store, wait: clock.wait });
    context.after(() => scheduler.stop());
    await clock.runTo(monday + 4 * minute);
    const heard = await workOn(store, 'chat');
    assert.match(heard[0] ?? '', /Tea is ready\./);
    assert.equal(await call('list_schedules', {}), 'There are no schedules here.');
  });

  it('makes one schedule of one call, however often it is tried', async (context) => {
    const { clock, schedules, call } = await setUp(context);
    const args = { message: 'Look.', in_seconds: 3_600 };
    const first = await call('create_schedule', args, 'chat', 'k');
    clock.set(monday + 10);
    assert.equal(await call('create_schedule', args, 'chat', 'k'), first);
    assert.equal((await schedules.list()).length, 1);
  });

  it('takes every way of saying when, and refuses two', async (context) => {
    const { schedules, call, tools } = await setUp(context);
    await call('create_schedule', { message: 'a', at: '2026-03-02T09:00' });
    await call('create_schedule', { message: 'b', every_seconds: 3_600, max_times: 3 });
    await call('create_schedule', { message: 'c', cron: '0 9 * * 1-5', zone: 'Asia/Tokyo' });
    const rules = (await schedules.list()).map(({ spec }) => spec?.rule.type);
    assert.deepEqual(rules, ['once', 'every', 'cron']);
    const [create] = tools;
    const issues = create?.refine({ message: 'd', in_seconds: 5, cron: '0 9 * * *' }) ?? [];
    assert.match(issues[0]?.message ?? '', /exactly one of at, in_seconds, every_seconds and cron/);
    await assert.rejects(
      call('create_schedule', { message: 'e', cron: '0 25 * * *' }),
      /0 9 \* \* 1-5/,
    );
  });

  it('shows, changes, pauses and cancels what is here', async (context) => {
    const { call, only } = await setUp(context);
    await call('create_schedule', { message: 'Look.', name: 'Mail', every_seconds: 3_600 });
    const { id } = await only();
    assert.match(await call('list_schedules', {}), new RegExp(`- ${id} "Mail": every hour`));
    await call('update_schedule', { id, message: 'Look twice.', every_seconds: 7_200 });
    const changed = await only();
    assert.equal(changed.spec?.input, 'Look twice.');
    assert.equal(changed.next, monday + 2 * hour);
    assert.match(await call('update_schedule', { id, paused: true }), /It is paused\./);
    assert.match(await call('update_schedule', { id, paused: false }), /Next: /);
    assert.equal(await call('cancel_schedule', { id }), `Schedule ${id} is cancelled.`);
    assert.equal(await call('cancel_schedule', { id }), `Schedule ${id} is cancelled.`);
    assert.equal((await call('list_schedules', {})).includes(id), false);
  });

  it('keeps conversations apart', async (context) => {
    const { call, only } = await setUp(context);
    await call('create_schedule', { message: 'Private.', every_seconds: 3_600 });
    const { id } = await only();
    assert.equal(await call('list_schedules', {}, 'other'), 'There are no schedules here.');
    for (const tool of ['cancel_schedule', 'update_schedule']) {
      await assert.rejects(call(tool, { id }, 'other'), (error) => ToolResolutionError.is(error));
    }
    await assert.rejects(
      call('create_schedule', { message: 'x', in_seconds: 60, conversation: 'other' }),
      /no conversation "other" that you may speak in/,
    );
  });

  it('speaks elsewhere where it may', async (context) => {
    const { call, only } = await setUp(context, { mayTarget: (_, { id }) => id === 'other' });
    await call('create_schedule', { message: 'x', in_seconds: 60, conversation: 'other' });
    const { id, runId, origin } = await only();
    assert.deepEqual([runId, origin], ['other', 'chat']);
    assert.match(await call('list_schedules', {}), new RegExp(id));
    assert.match(await call('list_schedules', {}, 'other'), new RegExp(id));
  });

  it('belongs to the conversation at the top, not to a helper', async (context) => {
    const { store, call, only } = await setUp(context);
    await store.createRun({ id: 'part', agent: 'researcher', parent: { runId: 'chat' } });
    await call('create_schedule', { message: 'x', in_seconds: 60 }, 'part');
    const { runId, agent } = await only();
    assert.deepEqual([runId, agent], ['chat', 'helper']);
  });

  it('lets the run of a schedule cancel it, and counts what it makes', async (context) => {
    const { schedules, call, only } = await setUp(context);
    await call('create_schedule', { message: 'x', every_seconds: 3_600, conversation: 'new' });
    const { id, runId } = await only();
    assert.equal(runId, undefined);
    const { runId: started } = await schedules.runNow(id);
    const child = await call('create_schedule', { message: 'y', in_seconds: 60 }, started);
    assert.match(child, /^Created/);
    assert.match(await call('list_schedules', {}, started), new RegExp(id));
    await call('cancel_schedule', { id }, started);
    assert.equal((await schedules.get(id))?.state, 'ended');
  });
});
