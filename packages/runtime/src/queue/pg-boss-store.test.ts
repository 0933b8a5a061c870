import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ForgeError } from '@forge/core';
import { type OnDue, openPostgresStore, type Store } from '@forge/store';
import { startPostgres, type TestPostgres } from '@forge/store/testing';
import pg from 'pg';
import { createHeard } from './heard.ts';
import { createPgBossQueue, type PgBossQueue } from './pg-boss-queue.ts';
import type { QueueProblem } from './queue.ts';

interface Ground {
  readonly store: Store;
  readonly queue: PgBossQueue;
  readonly problems: readonly QueueProblem[];
  /** The runs that wait in the queue, by a connection that has no part in anything. */
  waiting(): Promise<readonly string[]>;
  execute(text: string): Promise<readonly unknown[]>;
}

describe('pg-boss in the transactions of the store', { timeout: 600_000 }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres({ durable: false });
  });
  after(() => postgres.stop());

  const withGround = async (
    use: (ground: Ground) => Promise<void>,
    around: (onDue: OnDue, ground: () => Ground) => OnDue = (onDue) => onDue,
  ) => {
    const url = await postgres.createDatabase();
    const problems: QueueProblem[] = [];
    const onProblem = (problem: QueueProblem) => problems.push(problem);
    const queue = await createPgBossQueue({ url, patience: 30_000, onProblem });
    const client = new pg.Client({ connectionString: url });
    let ground: Ground | undefined;
    const onDue = around(queue.onDue, () => {
      assert.ok(ground);
      return ground;
    });
    const store = await openPostgresStore({ url, onDue });
    try {
      await client.connect();
      await queue.publish('ready'); // Its tables are there.
      const execute = async (text: string) => (await client.query(text)).rows;
      const waiting = async () => {
        const text = `select data->>'runId' as id from forge_queue.job where data->>'runId' <> 'ready' order by 1`;
        const { rows } = await client.query<{ id: string }>(text);
        return rows.map(({ id }) => id);
      };
      ground = { store, queue, problems, waiting, execute };
      await use(ground);
    } finally {
      await store.close();
      await Promise.all([queue.close(), client.end()]);
    }
  };

  const lease = async (store: Store, runId: string) => {
    const [leased] = await store.claim({ owner: 'me', ttl: 60_000, limit: 1, runId });
    assert.ok(leased);
    return { runId, fence: leased.fence, expectedSeq: leased.run.seq, at: 1, happenings: [] };
  };

  test('has a wake-up exactly when the run is due, not before and not after', async () => {
    const before: (readonly string[])[] = [];
    await withGround(
      async ({ store, waiting, problems }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        assert.deepEqual(await waiting(), ['r1']);
        await store.send('r1', { kind: 'input', payload: 1 });
        assert.deepEqual(await waiting(), ['r1', 'r1']);
        assert.deepEqual(before, [[], ['r1']]);
        assert.deepEqual(problems, []);
      },
      (onDue, ground) => async (transaction, runIds) => {
        await onDue(transaction, runIds);
        before.push(await ground().waiting());
      },
    );
  });

  test('wakes whom an append speaks to and what it starts, or nobody if it is undone', () =>
    withGround(async ({ store, waiting, execute }) => {
      for (const id of ['me', 'you']) await store.createRun({ id, agent: 'x' });
      const step = await lease(store, 'me');
      await execute('delete from forge_queue.job');
      const sends = [{ runId: 'you', kind: 'input', payload: 1 }];
      const taken = { ...step, sends, children: [{ id: 'you', agent: 'x' }] };
      await assert.rejects(store.append(taken), (error) => ForgeError.is(error, 'run_exists'));
      assert.deepEqual(await waiting(), []);
      await store.append({ ...step, sends, children: [{ id: 'child', agent: 'x' }] });
      assert.deepEqual(await waiting(), ['child', 'you']);
    }));

  test('holds up nothing when the queue cannot take it', () =>
    withGround(async ({ store, problems, execute }) => {
      await execute('drop schema forge_queue cascade');
      await store.createRun({ id: 'r1', agent: 'x', inbox: [{ kind: 'input', payload: 1 }] });
      assert.ok(problems.some(({ what }) => what === 'publish'));
      const [leased] = await store.claim({ owner: 'sweeper', ttl: 1_000, limit: 1 });
      assert.equal(leased?.run.id, 'r1');
      assert.equal((await store.inbox('r1')).length, 1);
    }));

  test('is heard by another end of the queue', () =>
    withGround(async ({ store, queue }) => {
      const heard = createHeard();
      queue.subscribe(heard.listener);
      await store.createRun({ id: 'r1', agent: 'x' });
      await heard.until((runIds) => runIds.includes('r1'));
    }));
});
