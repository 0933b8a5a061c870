import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@forge/store/testing';
import pg from 'pg';
import { createHeard, type Heard } from './heard.ts';
import { createPgBossQueue, type PgBossQueue } from './pg-boss-queue.ts';
import type { QueueProblem } from './queue.ts';
import { testQueue } from './queue-conformance.ts';

testQueue({
  name: 'pg-boss on PostgreSQL',
  dangers: ['away', 'emptied'],
  async start() {
    const postgres = await startPostgres({ durable: false });
    return {
      open: (schema, options) =>
        createPgBossQueue({
          ...options,
          url: postgres.url,
          schema,
          pollEvery: 200,
          patience: 30_000,
        }),
      down: () => postgres.down(),
      up: () => postgres.up(),
      empty: () => deleteJobs(postgres.url),
      stop: () => postgres.stop(),
    };
  },
});

async function deleteJobs(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ statement: string }>(
      `SELECT format('DELETE FROM %I.job', table_schema) AS statement
       FROM information_schema.tables WHERE table_name = 'job'`,
    );
    for (const { statement } of rows) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('pg-boss on PostgreSQL', { timeout: 600_000 }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres({ durable: false });
  });
  after(() => postgres.stop());

  /** A database with a queue that works, and a client beside it. */
  const withQueue = async (
    use: (tools: {
      readonly queue: PgBossQueue;
      readonly client: pg.Client;
      readonly heard: Heard;
      readonly problems: QueueProblem[];
    }) => Promise<void>,
  ) => {
    const url = await postgres.createDatabase();
    const problems: QueueProblem[] = [];
    const queue = await createPgBossQueue({
      url,
      patience: 30_000,
      onProblem: (problem) => problems.push(problem),
    });
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      const heard = createHeard();
      queue.subscribe(heard.listener);
      await queue.publish('first');
      await heard.until((runIds) => runIds.length === 1);
      await use({ queue, client, heard, problems });
    } finally {
      await Promise.all([queue.close(), client.end()]);
    }
  };

  test('publishes with the transaction of somebody else, or not at all', () =>
    withQueue(async ({ queue, client, heard, problems }) => {
      await client.query('BEGIN');
      await queue.onDue(client, ['undone']);
      await client.query('ROLLBACK');
      await client.query('BEGIN');
      await queue.onDue(client, ['a', 'b']);
      await queue.publish('meanwhile');
      await heard.until((runIds) => runIds.includes('meanwhile'));
      assert.deepEqual(heard.runIds, ['first', 'meanwhile']);
      await client.query('COMMIT');
      await heard.until((runIds) => runIds.length === 4);
      assert.deepEqual(heard.runIds.slice(0, 2), ['first', 'meanwhile']);
      assert.deepEqual(heard.runIds.slice(2).sort(), ['a', 'b']);
      assert.deepEqual(problems, []);
    }));

  test('leaves no row behind for what was heard', () =>
    withQueue(async ({ queue, client, heard }) => {
      await Promise.all(Array.from({ length: 300 }, (_, index) => queue.publish(`run-${index}`)));
      await heard.until((runIds) => runIds.length === 301);
      await queue.close();
      const { rows } = await client.query('SELECT count(*)::int AS jobs FROM forge_queue.job');
      assert.deepEqual(rows, [{ jobs: 0 }]);
    }));

  test('makes its tables once, however many come at the same time', async () => {
    const url = await postgres.createDatabase();
    const problems: QueueProblem[] = [];
    const onProblem = (problem: QueueProblem) => problems.push(problem);
    const opening = Array.from({ length: 5 }, () =>
      createPgBossQueue({ url, patience: 30_000, onProblem }),
    );
    const ends = await Promise.all(opening);
    try {
      const heard = createHeard();
      for (const end of ends) end.subscribe(heard.listener);
      await Promise.all(ends.map((end, index) => end.publish(`run-${index}`)));
      await heard.until((runIds) => runIds.length === ends.length);
      assert.deepEqual(problems, []);
    } finally {
      await Promise.all(ends.map((end) => end.close()));
    }
  });
});
