import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from './start-postgres.ts';

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

test('keeps what was committed through a crash, one database per test', async () => {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createDatabase();
    assert.deepEqual(await ask(url, 'SHOW fsync'), ['on']);
    assert.deepEqual(await ask(url, 'SHOW synchronous_commit'), ['on']);
    await ask(url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await postgres.restart();
    assert.deepEqual(await ask(url, 'SELECT n FROM kept'), [7]);

    const copy = await postgres.createDatabase({ template: url });
    const empty = await postgres.createDatabase();
    assert.deepEqual(await ask(copy, 'SELECT n FROM kept'), [7]);
    await assert.rejects(ask(empty, 'SELECT n FROM kept'), /does not exist/);
  } finally {
    await postgres.stop();
  }
  await assert.rejects(ask(postgres.url, 'SELECT 1'));
});

/** Starts a server, prints its folder, and never ends by itself. */
const owner = `
  const { startPostgres } = await import(process.argv[1]);
  const pg = (await import('pg')).default;
  const { url } = await startPostgres({ durable: false });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SHOW data_directory');
  console.log(rows[0].data_directory);
  setInterval(() => {}, 1000);
`;

test('does not outlive a process that is killed', { timeout: 600_000 }, async () => {
  const module = new URL('./start-postgres.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', owner, module], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [data]: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  assert.ok(typeof data === 'string' && existsSync(data));
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  while (existsSync(dirname(data))) await pause(20);
});
