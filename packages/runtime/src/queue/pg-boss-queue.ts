import { randomUUID } from 'node:crypto';
import { ForgeError } from '@forge/core';
import type { OnDue, SqlTransaction } from '@forge/store';
import type { ConnectionOptions } from 'pg-boss';
import { loadPackage } from './load-package.ts';
import { createOutbox } from './outbox.ts';
import type { Queue, QueueOptions } from './queue.ts';
import { reportProblems } from './report-problems.ts';
import { createSubscribers } from './subscribers.ts';
import { takeJobs } from './take-jobs.ts';
import { listenOnChannel } from './wake-channel.ts';
import { toWakeUp } from './wake-up.ts';
import { queueName, startBoss, toJob } from './wake-up-jobs.ts';
import { within } from './within.ts';

export interface PgBossQueueOptions extends QueueOptions {
  /**
   * `postgres://…`, the store's database or another one. It must lead to the server itself: a pooler
   * of transactions carries no announcements.
   */
  readonly url: string;
  /** Where pg-boss keeps its tables, apart from any other pg-boss. Default `forge_queue`. */
  readonly schema?: string;
  /** Milliseconds between looks for what was not announced, such as delayed wake-ups. Default 1,000. */
  readonly pollEvery?: number;
  /** Milliseconds a wake-up waits for a server that is away before it is given up. Default 2,000. */
  readonly patience?: number;
  readonly now?: () => number;
}

export interface PgBossQueue extends Queue {
  /**
   * For `openPostgresStore({ url, onDue })` on the same database: each run that a transaction makes
   * due is a job of that transaction, heard when it commits and never if it does not. A failure is
   * told to `onProblem`, and thrown for the store to undo.
   */
  readonly onDue: OnDue;
}

type Database = NonNullable<ConnectionOptions['db']>;

/**
 * Wake-ups through PostgreSQL, by pg-boss. It looks for jobs when an announcement says so (pg-boss
 * alone would look twice a second at best) and now and then without one. Opening it waits for no
 * server; it makes its tables when there is one.
 */
export async function createPgBossQueue(options: PgBossQueueOptions): Promise<PgBossQueue> {
  const {
    url,
    schema = 'forge_queue',
    pollEvery = 1_000,
    patience = 2_000,
    now = Date.now,
  } = options;
  const [{ PgBoss }, { default: pg }] = await loadPackage(
    () => Promise.all([import('pg-boss'), import('pg')]),
    { purpose: 'A queue on PostgreSQL', install: 'pg-boss pg' },
  );
  const problems = reportProblems(options);
  const subscribers = createSubscribers((error) => problems.tell('listener', error));
  const connection = {
    connectionString: url,
    application_name: 'forge-queue',
    connectionTimeoutMillis: 5_000,
    query_timeout: 15_000,
    statement_timeout: 15_000,
    keepAlive: true,
    // A wake-up that a crash takes is in the store; waiting for the disk would cost most of the time.
    options: '-c synchronous_commit=off',
  };
  const pool = new pg.Pool({ ...connection, max: 3 });
  pool.on('error', (error) => problems.tell('connection', error));
  const db: Database = { executeSql: (text, values) => pool.query(text, values) };
  const boss = new PgBoss({
    db,
    schema,
    schedule: false,
    superviseIntervalSeconds: 60,
    maintenanceIntervalSeconds: 300,
  });
  boss.on('error', (error) => problems.tell('connection', error));
  boss.on('warning', ({ message }) => problems.tell('connection', new Error(message)));

  const life = new AbortController();
  let closing: Promise<void> | undefined;
  let isReady = false;
  const started = startBoss(boss, problems, life.signal).then((isStarted) => {
    isReady = isStarted;
  });

  const announce = (executor: SqlTransaction) =>
    executor.query('SELECT pg_notify($1, $2)', [schema, '']);

  const outbox = createOutbox({
    problems,
    async send(batch) {
      if (!isReady) await within(patience, started, 'PostgreSQL');
      await boss.insert(queueName, batch.map(toJob));
      await announce(pool);
      problems.over();
    },
  });

  // Not merged with wake-ups that wait: one that is heard before the commit would take these along.
  const onDue: OnDue = async (transaction, runIds) => {
    if (!isReady || closing !== undefined) return;
    const executeSql: Database['executeSql'] = (text, values) => transaction.query(text, values);
    const unmerged = runIds.map((runId) => ({
      ...toJob(toWakeUp(runId, {}, now())),
      singletonKey: randomUUID(),
    }));
    try {
      await boss.insert(queueName, unmerged, { db: { executeSql } });
      await announce(transaction);
    } catch (error) {
      problems.tell('publish', error);
      throw error;
    }
  };

  const jobs = takeJobs({
    boss,
    isWanted: () => subscribers.size > 0,
    hear: (runId) => {
      // Taken while the last subscriber left: back to the others.
      if (!subscribers.tell(runId)) void outbox.put(toWakeUp(runId, {}, now()));
    },
    onError: (error) => problems.tell('connection', error),
  });
  const look = () => {
    if (isReady && subscribers.size > 0) jobs.look();
  };
  void started.then(look);

  let poll: NodeJS.Timeout | undefined;
  let listening: Promise<void> | undefined;
  const startHearing = () => {
    poll ??= setInterval(look, pollEvery);
    listening ??= listenOnChannel(
      {
        createClient: () => new pg.Client(connection),
        channel: schema,
        onAnnouncement: look,
        onError: (error) => problems.tell('connection', error),
      },
      life.signal,
    );
    look();
  };
  const stopPolling = () => {
    clearInterval(poll);
    poll = undefined;
  };

  const close = async () => {
    subscribers.clear();
    stopPolling();
    await jobs.settled();
    await outbox.close();
    life.abort();
    await Promise.all([started, listening]);
    await boss.stop({ graceful: false });
    await pool.end();
  };

  return {
    onDue,
    publish: (runId, publishing = {}) => outbox.put(toWakeUp(runId, publishing, now())),
    subscribe(listener) {
      if (closing !== undefined) {
        throw new ForgeError('not_allowed', 'The queue is closed. Open another one.');
      }
      const remove = subscribers.add(listener);
      startHearing();
      return () => {
        remove();
        if (subscribers.size === 0) stopPolling();
      };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
