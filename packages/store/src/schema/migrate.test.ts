import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { recorded } from '../conformance/happenings.ts';
import { ids } from '../conformance/kit.ts';
import { openPostgresStore } from '../postgres/open-postgres-store.ts';
import { postgresSchema } from '../postgres/postgres-schema.ts';
import { openSqliteStore } from '../sqlite/open-sqlite-store.ts';
import type { Store } from '../store.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { firstTables } from './first-tables.ts';
import { schemaVersion } from './migrate.ts';
import { type SchemaMake, sqliteSchema } from './schema-make.ts';

const meta = (make: SchemaMake) => [
  `create table meta (key text primary key not null, value text not null)${make.tableEnd}`,
  `insert into meta (key, value) values ('schema', '1')`,
];

const event = JSON.stringify({ type: 'note.added', text: 'kept' });
const run = (id: string, state: string, labels: string) => `insert into runs (
    id, agent, tenant, priority, root_id, labels, state, seq, fence, strikes, lease_wrote, turns,
    input_tokens, output_tokens, cost_nano, created_at, updated_at, forked_seq
  ) values ('${id}', 'writer', 'acme', 0, '${id}', '${labels}', '${state}', 1, 1, 0, 0, 2, 30, 4,
    5000000000, 100, 200, 0)`;

const nextDay = Date.UTC(2026, 10, 16, 23, 59);
const usage = { inputTokens: 7, outputTokens: 2 };

/** What version 1 could hold: one row of each kind that a later version touches. */
const rows = [
  run('over', 'failed', '{"team":"blue"}'),
  run('going', 'open', '{"team":"blue"}'),
  run('plain', 'open', '{}'),
  ...['over', 'going'].map(
    (id) => `insert into run_labels (run_id, name, value, created_at)
      values ('${id}', 'team', 'blue', 100)`,
  ),
  ...['over', 'going', 'plain'].map(
    (id) => `insert into events (run_id, seq, v, type, at, data)
      values ('${id}', 1, 1, 'note.added', 100, '${event}')`,
  ),
  // A child has the labels of its parent.
  run('under', 'open', '{"team":"blue"}'),
  `update runs set parent_id = 'going', root_id = 'going', created_at = 300 where id = 'under'`,
  `insert into run_labels (run_id, name, value, created_at) values ('under', 'team', 'blue', 300)`,
  `insert into events (run_id, seq, v, type, at, data)
    values ('under', 1, 1, 'outcome.recorded', 300, '${JSON.stringify(recorded({ note: 'kept' }))}')`,
  `insert into inbox (run_id, kind, payload, wakes, at) values ('going', 'input', '"hello"', 1, 150)`,
  `insert into timers (run_id, name, due_at) values ('going', 'deadline', 900)`,
  `insert into daily_stats (day, agent, turns, input_tokens) values ('2026-11-15', 'writer', 6, 90)`,
  // A run of the next day, whose log says what was counted then.
  run('asked', 'open', '{}'),
  ...[
    { type: 'model.requested', turn: 1, messages: 1, estimatedTokens: 10 },
    { type: 'model.replied', turn: 1, reply: { content: [], finish: 'stop', usage } },
  ].map(
    (data, index) => `insert into events (run_id, seq, v, type, at, data)
      values ('asked', ${index + 1}, 1, '${data.type}', ${nextDay}, '${JSON.stringify(data)}')`,
  ),
  `insert into daily_stats (day, agent, turns, input_tokens, output_tokens)
    values ('2026-11-16', 'writer', 1, 7, 2)`,
  `insert into schedules (id, agent, tenant, spec, state, next_at, created_at, version)
    values ('s1', 'writer', '', '{"every":1}', 'active', 500, 100, 3)`,
];

/** A database as version 1 left it. */
interface OldStore {
  open(): Promise<Store>;
  version(): Promise<unknown>;
}

const folderOf = (context: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const makes: Readonly<Record<string, (context: TestContext) => Promise<OldStore>>> = {
  async sqlite(context) {
    const file = join(folderOf(context), 'store.db');
    const statements = [...meta(sqliteSchema), ...firstTables(sqliteSchema), ...rows];
    const database = new DatabaseSync(file);
    for (const statement of statements) database.exec(statement);
    database.close();
    return {
      open: () => openSqliteStore({ file, now: () => 1_000 }),
      async version() {
        const reader = new DatabaseSync(file, { readOnly: true });
        const row = reader.prepare(`select value from meta where key = 'schema'`).get();
        reader.close();
        return row?.value;
      },
    };
  },
  async postgres(context) {
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    context.after(() => postgres.dropDatabase(url));
    const query = async (statements: readonly string[]) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        let found: unknown;
        for (const statement of statements) [found] = (await client.query(statement)).rows;
        return found;
      } finally {
        await client.end();
      }
    };
    await query([...meta(postgresSchema), ...firstTables(postgresSchema), ...rows]);
    return {
      open: () => openPostgresStore({ url, now: () => 1_000 }),
      async version() {
        const row = await query([`select value from meta where key = 'schema'`]);
        return typeof row === 'object' && row !== null && 'value' in row ? row.value : undefined;
      },
    };
  },
};

describe('migrate', () => {
  for (const [name, makeOld] of Object.entries(makes)) {
    it(`brings a store of version 1 to the newest with its rows (${name})`, async (context) => {
      const old = await makeOld(context);
      const store = await old.open();
      try {
        assert.equal(await old.version(), String(schemaVersion));
        const over = await store.run('over');
        assert.equal(over?.state, 'failed');
        assert.equal(over?.cost, 5);
        assert.deepEqual(over?.labels, { team: 'blue' });
        assert.equal((await store.events('plain')).length, 1);
        assert.deepEqual(
          (await store.inbox('going')).map(({ payload }) => payload),
          ['hello'],
        );
        assert.deepEqual(await store.timers('going'), { deadline: 900 });
        const [day] = await store.stats();
        assert.equal(day?.turns, 6);
        assert.equal(day?.inputTokens, 90);
        assert.equal((await store.schedule('s1'))?.version, 3);

        const asked = await store.stats({ from: '2026-11-16' });
        assert.deepEqual(
          asked.map(({ model, turns, replies, inputTokens }) => [
            model,
            turns,
            replies,
            inputTokens,
          ]),
          [['', 1, 1, 7]],
          'older logs name no model',
        );
        await store.rebuild();
        assert.deepEqual(await store.stats({ from: '2026-11-16' }), asked);
        await store.memory.remember({ scope: 's', key: 'k', value: 'there is room for facts' });
        assert.equal((await store.memory.search({ scope: 's', query: 'room' })).length, 1);

        const label = { name: 'team', value: 'blue' };
        const found = async (...states: ('open' | 'failed')[]) =>
          ids((await store.runs({ label, states })).items);
        assert.deepEqual(await found('failed'), ['over']);
        assert.deepEqual(await found('open'), ['under', 'going']);
        await store.send('over', { kind: 'input', payload: 1, reopens: true });
        assert.deepEqual(await found('open', 'failed'), ['under', 'over', 'going']);
        assert.deepEqual(await found('failed'), []);

        const top = await store.runs({ label, topOnly: true });
        assert.deepEqual(ids(top.items), ['over', 'going']);
        assert.equal((await store.countRuns({ topOnly: true })).open, 4);
        assert.equal((await store.countRuns()).open, 5);
        const [outcome] = (await store.outcomes({ rootId: 'going' })).items;
        assert.equal(outcome?.note, 'kept');
        const deployment = { id: 'd1', project: 'p', target: 't', commit: 'c', startedAt: 1 };
        await store.deployments.begin(deployment);
        await store.deployments.change('d1', ['building'], { state: 'live' });
        assert.equal((await store.deployments.live('p', 't'))?.commit, 'c');
      } finally {
        await store.close();
      }
      // Opened again it stays as it is.
      await (await old.open()).close();
      assert.equal(await old.version(), String(schemaVersion));
    });
  }
});
