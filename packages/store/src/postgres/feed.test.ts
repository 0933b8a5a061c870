import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { note } from '../conformance/happenings.ts';
import { claimRun } from '../conformance/kit.ts';
import type { Store, StoredEvent } from '../store.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { startRelay } from './test-relay.ts';

interface Setting {
  readonly store: Store;
  readonly url: string;
  /** A connection that is no store, ended with the test. */
  client(): Promise<pg.Client>;
}

function onFeed(run: (setting: Setting) => Promise<void>): () => Promise<void> {
  return async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const store = await openPostgresStore({ url });
    const clients: pg.Client[] = [];
    try {
      const client = async () => {
        const made = new pg.Client({ connectionString: url });
        clients.push(made);
        await made.connect();
        return made;
      };
      await run({ store, url, client });
    } finally {
      for (const client of clients) await client.end();
      await store.close();
      await postgres.dropDatabase(url);
    }
  };
}

async function writer(store: Store, id: string) {
  await store.createRun({ id, agent: 'writer' });
  const { fence } = await claimRun(store, id);
  let seq = 0;
  return async (count = 1) => {
    const happenings = Array.from({ length: count }, (_, index) => note(`${seq + index + 1}`));
    ({ seq } = await store.append({
      runId: id,
      fence,
      expectedSeq: seq,
      at: 1,
      happenings,
    }));
  };
}

const insert = (runId: string, seq: number) =>
  `insert into events (run_id, seq, v, type, at, data)
   values ('${runId}', ${seq}, 1, 'context.warned', 1, '{"type":"context.warned","level":1,"text":"x"}')`;

class Reader {
  readonly #stop = new AbortController();
  readonly #feed: AsyncIterator<StoredEvent>;
  cursor: string | undefined;

  constructor(store: Store, from?: string) {
    const options = { signal: this.#stop.signal, ...(from !== undefined && { from }) };
    this.#feed = store.changes(options)[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<readonly string[]> {
    const names: string[] = [];
    while (names.length < count) {
      const { value, done } = await this.#feed.next();
      if (done === true) break;
      this.cursor = value.cursor;
      names.push(`${value.runId}:${value.event.seq}`);
    }
    return names;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#feed.return?.();
  }
}

test(
  'gives rows in one order, also when their transactions commit in the reverse of it',
  onFeed(async ({ store, client }) => {
    const [first, second] = [await client(), await client()];
    await first.query('begin');
    await first.query(insert('slow', 1));
    await second.query('begin');
    await second.query(insert('quick', 1));
    await second.query('commit');
    const reader = new Reader(store);
    const next = reader.take(3);
    const append = await writer(store, 'r1');
    await append();
    await first.query('commit');
    assert.deepEqual(await next, ['slow:1', 'quick:1', 'r1:1']);
    await reader.end();
  }),
);

test(
  'a reader that resumes while rows wait for an older transaction misses none',
  onFeed(async ({ store, client }) => {
    const append = await writer(store, 'r1');
    await append();
    const reader = new Reader(store);
    assert.deepEqual(await reader.take(1), ['r1:1']);
    const slow = await client();
    await slow.query('begin');
    await slow.query(insert('slow', 1));
    await append();
    const resumed = new Reader(store, reader.cursor);
    const rest = [reader.take(2), resumed.take(2)];
    await slow.query('commit');
    assert.deepEqual(await Promise.all(rest), [
      ['slow:1', 'r1:2'],
      ['slow:1', 'r1:2'],
    ]);
    assert.equal(reader.cursor, resumed.cursor);
    await reader.end();
    await resumed.end();
  }),
);

test(
  'waits for a step that has its number but has not written its events yet',
  onFeed(async ({ store, url }) => {
    const [slowly, watched] = [await startRelay(url), await startRelay(url)];
    const slow = await openPostgresStore({ url: slowly.url });
    const reading = await openPostgresStore({ url: watched.url });
    for (const id of ['slow', 'friend']) await store.createRun({ id, agent: 'writer' });
    const { fence } = await claimRun(store, 'slow');
    const append = await writer(store, 'quick');

    const delayed = slowly.next('forge_append_within', 'delay');
    const written = slow.append({
      runId: 'slow',
      fence,
      expectedSeq: 0,
      at: 1,
      happenings: [note('x')],
      sends: [{ runId: 'friend', kind: 'hello', payload: null }],
    });
    const { letGo } = await delayed;
    await append();
    const reader = new Reader(reading);
    const next = reader.take(2);
    for (let look = 0; look < 3; look += 1) await watched.seen('forge_feed');
    letGo();
    await written;
    assert.deepEqual(await next, ['slow:1', 'quick:1']);
    await reader.end();
    await slow.close();
    await reading.close();
    await slowly.close();
    await watched.close();
  }),
);

test(
  'does not wait for a long transaction that is about something else',
  onFeed(async ({ store, client }) => {
    const idle = await client();
    await idle.query('begin');
    await idle.query('create table something_else (n int)');
    const append = await writer(store, 'r1');
    const reader = new Reader(store);
    for (let seq = 1; seq <= 5; seq += 1) {
      await append();
      assert.deepEqual(await reader.take(1), [`r1:${seq}`]);
    }
    await idle.query('rollback');
    await reader.end();
  }),
);

test(
  'leaves out what was rolled back',
  onFeed(async ({ store, client }) => {
    const undone = await client();
    await undone.query('begin');
    await undone.query(insert('undone', 1));
    await undone.query('rollback');
    const append = await writer(store, 'r1');
    await append();
    const reader = new Reader(store);
    assert.deepEqual(await reader.take(1), ['r1:1']);
    await reader.end();
  }),
);

test(
  'resumes from every cursor, also in the middle of a commit and of a page',
  onFeed(async ({ store }) => {
    const appends = await Promise.all(['a', 'b', 'c'].map((id) => writer(store, id)));
    for (let round = 0; round < 3; round += 1)
      await Promise.all(appends.map((append) => append(40)));
    const all = new Reader(store);
    const names: string[] = [];
    const cursors: string[] = [];
    while (names.length < 360) {
      names.push(...(await all.take(1)));
      cursors.push(all.cursor ?? '');
    }
    await all.end();
    assert.equal(new Set(names).size, 360);
    for (let at = 0; at < 359; at += 17) {
      const rest = new Reader(store, cursors[at]);
      assert.deepEqual(await rest.take(359 - at), names.slice(at + 1));
      await rest.end();
    }
  }),
);

test(
  'misses nothing and gives nothing twice while many write at once',
  onFeed(async ({ store, url }) => {
    const others = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url })));
    const appends: ((count?: number) => Promise<void>)[] = [];
    for (const [index, each] of others.entries()) {
      for (let run = 0; run < 4; run += 1) appends.push(await writer(each, `r${index}-${run}`));
    }
    const reader = new Reader(store);
    const wanted = appends.length * 30;
    const reading = reader.take(wanted);
    await Promise.all(
      appends.map(async (append) => {
        for (let step = 0; step < 30; step += 1) await append();
      }),
    );
    const names = await reading;
    assert.equal(new Set(names).size, wanted);
    const last = new Map<string, number>();
    for (const name of names) {
      const [runId = '', seq] = name.split(':');
      assert.equal(Number(seq), (last.get(runId) ?? 0) + 1, name);
      last.set(runId, Number(seq));
    }
    await reader.end();
    for (const each of others) await each.close();
  }),
);

test(
  'shows the events of a dump that was restored on another server',
  onFeed(async ({ store, url, client }) => {
    const append = await writer(store, 'r1');
    await append(3);
    await store.close();
    const hand = await client();
    await hand.query(`update events set tx = (tx::text::bigint + 1000000)::text::xid8`);
    const restored = await openPostgresStore({ url });
    const reader = new Reader(restored);
    assert.deepEqual(await reader.take(3), ['r1:1', 'r1:2', 'r1:3']);
    await reader.end();
    await restored.close();
  }),
);

test(
  'refuses what is no cursor of it',
  onFeed(async ({ store }) => {
    const reader = new Reader(store, 'x17');
    await assert.rejects(reader.take(1), { code: 'invalid_options' });
  }),
);
