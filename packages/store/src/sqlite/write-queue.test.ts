import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { note } from '../conformance/happenings.ts';
import { failsWith, leasedRun } from '../conformance/kit.ts';
import type { Store } from '../store.ts';
import type { Database } from './database.ts';
import { openSqlite } from './open-sqlite-store.ts';

describe('shared commits', () => {
  let folder: string;
  let file: string;
  let store: Store;
  let writer: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
    file = join(folder, 'store.db');
    ({ store, writer } = await openSqlite({ file, synchronous: 'normal', patience: 2_000 }));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const append = (runId: string, fence: number, words = 'x') =>
    store.append({ runId, fence, expectedSeq: 0, happenings: [note(words)], at: 1 });

  async function leases(count: number): Promise<readonly { runId: string; fence: number }[]> {
    const made = [];
    for (let index = 0; index < count; index += 1) {
      const { fence } = await leasedRun(store, { id: `r${index}` });
      made.push({ runId: `r${index}`, fence });
    }
    return made;
  }

  function countCommits(): () => number {
    let commits = 0;
    const run = writer.run.bind(writer);
    writer.run = (sql, ...values) => {
      if (sql === 'commit') commits += 1;
      return run(sql, ...values);
    };
    return () => commits;
  }

  it('puts what comes in one turn of the event loop into one commit', async () => {
    const held = await leases(50);
    const commits = countCommits();
    await Promise.all(held.map(({ runId, fence }) => append(runId, fence)));
    assert.equal(commits(), 1);
    await Promise.all([
      store.send('r0', { kind: 'x', payload: 1 }),
      store.createRun({ id: 'new', agent: 'x' }),
      store.claim({ owner: 'w', ttl: 1, limit: 1 }),
      store.saveSnapshot({ runId: 'r0', seq: 1, version: 'v', state: '' }),
      failsWith('not_found', store.send('nobody', { kind: 'x', payload: 1 })),
      failsWith('run_exists', store.createRun({ id: 'r1', agent: 'x' })),
    ]);
    assert.equal(commits(), 2);
  });

  it('keeps commits short when very much comes at once', async () => {
    await store.createRun({ id: 'r', agent: 'x' });
    const commits = countCommits();
    await Promise.all(
      Array.from({ length: 2_000 }, (_, payload) => store.send('r', { kind: 'x', payload })),
    );
    assert.equal(commits(), 4);
    assert.equal((await store.inbox('r', 1_000)).length, 1_000);
  });

  it('fails when the disk is full, writes nothing of it, and goes on once there is room', async () => {
    const held = await leases(3);
    const pages = writer.get<{ page_count: number }>('pragma page_count')?.page_count ?? 0;
    writer.exec(`pragma max_page_count = ${pages + 20}`);
    const large = 'x'.repeat(1_000_000);
    // All in one commit: only the one that does not fit fails.
    const results = await Promise.allSettled(
      held.map(({ runId, fence }, index) => append(runId, fence, index === 1 ? large : 'small')),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await store.events('r1'), []);
    assert.equal((await store.events('r2')).length, 1);
    const again = held[1];
    assert.ok(again);
    assert.match(await failsWith('store_failed', append('r1', again.fence, large)), /room/);
    writer.exec('pragma max_page_count = 1000000');
    assert.deepEqual(await append('r1', again.fence, large), { seq: 1 });
  });

  it('waits for another process that writes', async () => {
    const [held] = await leases(1);
    assert.ok(held);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    let done = false;
    const waiting = append(held.runId, held.fence).then((written) => {
      done = true;
      return written;
    });
    await new Promise((resolve) => setTimeout(resolve, 40));
    assert.equal(done, false);
    assert.equal((await store.run('r0'))?.seq, 0, 'readers need not wait');
    other.exec('commit');
    assert.deepEqual(await waiting, { seq: 1 });
    other.close();
  });

  it('gives up after its patience with nothing written, and works again afterwards', async () => {
    const [held] = await leases(1);
    assert.ok(held);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const message = await failsWith('store_failed', append(held.runId, held.fence));
    assert.match(message, /another process/);
    other.exec('rollback');
    other.close();
    assert.deepEqual(await store.events('r0'), []);
    assert.deepEqual(await append(held.runId, held.fence), { seq: 1 });
  });

  it('refuses what cannot be JSON without harm to others', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const [held] = await leases(1);
    assert.ok(held);
    const args = JSON.parse('{}');
    args.cycle = cycle;
    const bad = store.append({
      ...held,
      expectedSeq: 0,
      happenings: [{ type: 'tool.started', callId: 'c', name: 't', args, idempotencyKey: 'k' }],
      at: 1,
    });
    await failsWith('invalid_options', bad);
    await failsWith(
      'invalid_options',
      store.append({ ...held, expectedSeq: 0, happenings: [], at: Number.NaN }),
    );
    assert.deepEqual(await append(held.runId, held.fence), { seq: 1 });
  });
});
