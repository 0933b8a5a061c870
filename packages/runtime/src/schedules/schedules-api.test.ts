import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ForgeError, type ForgeErrorCode } from '@forge/core';
import {
  FakeClock,
  hour,
  minute,
  monday,
  openTestStore,
  workOn,
} from './schedule-fixtures.test.ts';
import { createSchedules } from './schedules-api.ts';

async function setUp(context: TestContext, limits = {}) {
  const clock = new FakeClock();
  const store = await openTestStore(context, clock);
  let ids = 0;
  let changes = 0;
  const schedules = createSchedules({
    store,
    newId: () => `s${++ids}`,
    limits,
    zone: 'Europe/Berlin',
    onChange: () => {
      changes += 1;
    },
  });
  return { clock, store, schedules, changes: () => changes };
}

const daily = {
  agent: 'helper',
  input: 'Ask.',
  rule: { type: 'cron', cron: '0 9 * * *' },
} as const;

const fails = (code: ForgeErrorCode, message: RegExp) => (error: unknown) => {
  assert.ok(ForgeError.is(error, code), String(error));
  assert.match(error.message, message);
  return true;
};

describe('schedules', () => {
  it('shows the next five times when one is made', async (context) => {
    const { schedules, changes } = await setUp(context);
    const view = await schedules.create(daily);
    assert.equal(view.rule, 'by the cron rule "0 9 * * *" in Europe/Berlin');
    assert.equal(view.next, monday + 8 * hour);
    assert.deepEqual(view.preview, [
      'Mon, 2 Mar 2026, 09:00:00 GMT+1',
      'Tue, 3 Mar 2026, 09:00:00 GMT+1',
      'Wed, 4 Mar 2026, 09:00:00 GMT+1',
      'Thu, 5 Mar 2026, 09:00:00 GMT+1',
      'Fri, 6 Mar 2026, 09:00:00 GMT+1',
    ]);
    assert.equal(changes(), 1);
    assert.deepEqual(await schedules.get('s1'), view);
    const twice = await schedules.create({ ...daily, maxCount: 2 });
    assert.equal(twice.preview.length, 2);
  });

  it('is for an agent or a conversation that is there', async (context) => {
    const { store, schedules } = await setUp(context);
    await store.createRun({ id: 'chat', agent: 'helper', tenant: 'a' });
    const { agent: _, ...noAgent } = daily;
    const view = await schedules.create({ ...noAgent, runId: 'chat' });
    assert.deepEqual([view.agent, view.tenant, view.runId], ['helper', 'a', 'chat']);
    const wrong = [
      [noAgent, /schedule\.agent/],
      [{ ...daily, runId: 'nowhere' }, /schedule\.runId: there is no conversation "nowhere"/],
      [{ ...daily, agent: 'other', runId: 'chat' }, /schedule\.agent: .*with "helper"/],
      [{ ...daily, tenant: 'b', runId: 'chat' }, /schedule\.tenant/],
    ] as const;
    for (const [fields, message] of wrong) {
      await assert.rejects(schedules.create(fields), fails('invalid_options', message));
    }
    await workOn(store, 'chat', { end: 'cancelled' });
    await assert.rejects(
      schedules.create({ ...daily, runId: 'chat' }),
      fails('invalid_options', /was cancelled/),
    );
  });

  it('takes an id once', async (context) => {
    const { schedules } = await setUp(context);
    await schedules.create({ ...daily, id: 'mine' });
    await assert.rejects(
      schedules.create({ ...daily, id: 'mine' }),
      fails('invalid_options', /schedule\.id: .*"mine" already/),
    );
  });

  it('keeps to the limits, and warns before', async (context) => {
    const { schedules } = await setUp(context, { maxPerAgent: 3, maxGenerations: 2 });
    assert.deepEqual((await schedules.create(daily)).warnings, []);
    await schedules.pause('s1');
    await schedules.create({ ...daily, madeBy: 's1' });
    const [warning] = (await schedules.create(daily)).warnings;
    assert.match(warning ?? '', /has 3 schedules now; 3 is the most/);
    await assert.rejects(
      schedules.create(daily),
      fails('not_allowed', /3 is the most. Cancel one/),
    );
    await schedules.create({ ...daily, agent: 'other' });
    await schedules.cancel('s1');
    await assert.rejects(
      schedules.create({ ...daily, madeBy: 's2' }),
      fails('not_allowed', /2 schedules in a row/),
    );
    await schedules.create(daily);
  });

  it('lists those of an agent, and those that ended if asked', async (context) => {
    const { schedules } = await setUp(context);
    await schedules.create(daily);
    await schedules.create({ ...daily, agent: 'other', tenant: 'a' });
    await schedules.cancel('s1');
    const ids = async (filter: Parameters<typeof schedules.list>[0]) =>
      (await schedules.list(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({}), ['s2']);
    assert.deepEqual(await ids({ ended: true }), ['s1', 's2']);
    assert.deepEqual(await ids({ agent: 'helper' }), []);
    assert.deepEqual(await ids({ tenant: 'b' }), []);
  });

  it('changes what is said and keeps the rest', async (context) => {
    const { clock, schedules } = await setUp(context);
    await schedules.create({ ...daily, rule: { type: 'every', every: hour } });
    clock.set(monday + 30 * minute);
    const said = await schedules.update('s1', { input: 'Ask twice.' });
    assert.equal(said.spec?.input, 'Ask twice.');
    assert.equal(said.next, monday + hour);
    const moved = await schedules.update('s1', { rule: { type: 'once', after: 5 * minute } });
    assert.equal(moved.next, monday + 35 * minute);
    await assert.rejects(
      schedules.update('s1', { rule: { type: 'cron', cron: 'daily' } }),
      fails('invalid_options', /rule\.cron/),
    );
    await assert.rejects(schedules.update('s9', {}), fails('not_found', /no schedule "s9"/));
    await assert.rejects(
      schedules.update('s1', { runId: 'nowhere' }),
      fails('invalid_options', /runId/),
    );
  });

  it('writes over no firing that came between', async (context) => {
    const { store, clock } = await setUp(context);
    const plain = createSchedules({ store, newId: () => 's1' });
    await plain.create({ ...daily, rule: { type: 'every', every: hour } });
    let isFirst = true;
    const racing = createSchedules({
      store: {
        ...store,
        saveSchedule: async (schedule, version) => {
          if (isFirst) await plain.runNow('s1');
          isFirst = false;
          return store.saveSchedule(schedule, version);
        },
      },
    });
    clock.set(monday + minute);
    const changed = await racing.update('s1', { input: 'Other.' });
    assert.equal(changed.lastAt, monday + minute);
    assert.equal(changed.spec?.input, 'Other.');
  });

  it('pauses and goes on from now', async (context) => {
    const { clock, store, schedules } = await setUp(context);
    await schedules.create({ ...daily, rule: { type: 'every', every: hour } });
    const paused = await schedules.pause('s1');
    assert.deepEqual([paused.state, paused.next, paused.preview], ['paused', undefined, []]);
    clock.set(monday + 3 * hour + minute);
    assert.deepEqual(await store.dueSchedules(clock.now(), 10), []);
    const active = await schedules.resume('s1');
    assert.deepEqual([active.state, active.next], ['active', monday + 4 * hour]);
    await schedules.cancel('s1');
    await assert.rejects(schedules.resume('s1'), fails('not_allowed', /has ended/));
  });

  it('says when there is nothing left to go on with', async (context) => {
    const { clock, schedules } = await setUp(context);
    await schedules.create({ ...daily, rule: { type: 'once', after: hour } });
    await schedules.pause('s1');
    clock.set(monday + 2 * hour);
    await assert.rejects(schedules.resume('s1'), fails('not_allowed', /no time left/));
  });

  it('runs now, beside the rule, as often as it is asked', async (context) => {
    const { store, schedules } = await setUp(context);
    await schedules.create({ ...daily, budget: { per: 'day', maxFirings: 1 } });
    await schedules.pause('s1');
    const first = await schedules.runNow('s1', { by: 'a person' });
    const second = await schedules.runNow('s1');
    assert.notEqual(first.runId, second.runId);
    const [message] = await store.inbox(first.runId);
    assert.match(JSON.stringify(message?.payload), /Run now by a person\./);
    const history = await schedules.history('s1');
    assert.deepEqual(
      history.map(({ outcome, runId }) => [outcome, runId]),
      [
        ['fired', second.runId],
        ['fired', first.runId],
      ],
    );
    const view = await schedules.get('s1');
    assert.deepEqual([view?.state, view?.fired, view?.lastAt], ['paused', 0, monday]);
    await assert.rejects(schedules.runNow('s9'), fails('not_found', /s9/));
    await assert.rejects(schedules.history('s9'), fails('not_found', /s9/));
  });

  it('forgets what ended long ago', async (context) => {
    const { clock, schedules } = await setUp(context);
    await schedules.create(daily);
    await schedules.create(daily);
    await schedules.cancel('s1');
    clock.set(monday + hour);
    await schedules.cancel('s2');
    assert.equal(await schedules.prune({ endedBefore: monday + hour }), 1);
    assert.deepEqual(
      (await schedules.list({ ended: true })).map(({ id }) => id),
      ['s2'],
    );
  });
});
