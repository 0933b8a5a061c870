import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '@forge/store';
import { sharedPostgres } from '@forge/store/testing';
import pg from 'pg';

/**
 * Chaos found this one: a person decided in the moment in which the worker let go of the run. The
 * worker did not see the message yet, the decision did not see that the run was let go, and the run
 * was never taken up again.
 */
it('a decision in the very moment in which a run is let go wakes it', {
  timeout: 600_000,
}, async () => {
  const url = await (await sharedPostgres()).createDatabase();
  const store = await openStore(url);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  after(async () => {
    await other.end();
    await store.close();
  });
  const fences = new Map<string, number>();
  for (const id of ['r1', 'r2']) {
    await store.createRun({ id, agent: 'a' });
    const [lease] = await store.claim({ owner: 'w', ttl: 60_000, limit: 1, runId: id });
    assert.ok(lease);
    fences.set(id, lease.fence);
    const approvals = [{ id, callId: 'c', tool: 't', proposed: {} }];
    const happenings = [{ type: 'context.warned' as const, level: 1, text: id }];
    const step = { runId: id, fence: lease.fence, expectedSeq: 0, at: Date.now() };
    await store.append({ ...step, happenings, approvals });
  }
  // Both are decided in one transaction, which has told r1 and now waits for the row of r2.
  await other.query('begin');
  await other.query(`select 1 from runs where id = 'r2' for update`);
  const yes = (id: string) => ({ id, approved: true, by: 'ann' });
  const decided = store.decide([yes('r1'), yes('r2')], Date.now());
  const over = new AbortController();
  await waiting(other, { count: 1, signal: over.signal });
  const released = store.release({ runId: 'r1', fence: fences.get('r1') ?? 0 });
  // It is done, or waits as well.
  await Promise.race([released, waiting(other, { count: 2, signal: over.signal })]);
  await other.query('commit');
  over.abort();
  await Promise.all([decided, released]);
  const leases = await store.claim({ owner: 'w', ttl: 1_000, limit: 1, runId: 'r1' });
  assert.equal(leases.length, 1, 'the run is due');
});

/** Resolves when so many connections wait for a lock. */
async function waiting(
  client: pg.Client,
  { count, signal }: { readonly count: number; readonly signal: AbortSignal },
) {
  while (!signal.aborted) {
    const { rows } = await client.query<{ n: string }>(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (Number(rows[0]?.n) >= count) return;
    await pause(10);
  }
}
