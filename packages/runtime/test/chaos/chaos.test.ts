import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sharedPostgres } from '@forge/store/testing';
import { startRedis } from '../../src/testing/start-redis.ts';
import { type ChaosOptions, runChaos } from './run-chaos.ts';

/** `SEED=7` draws another one. */
const seed = Number(process.env.SEED ?? 20_261_115);

async function survives(
  options: Pick<ChaosOptions, 'queue' | 'storeClock' | 'kills'> & { store?: string },
) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-chaos-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, 'store.db');
  // A wake-up that died with two workers is given up and told of: the log brings its work back.
  const allows = /job stalled more than allowable limit/;
  const report = await runChaos({ store, seed, folder, allows, ...options });
  assert.deepEqual(report.wrong, [], `seed ${seed}`);
  const deaths = Object.values(report.deaths).reduce((sum, count) => sum + count, 0);
  assert.equal(deaths, options.kills);
  assert.ok(report.runs > 0 && report.resumed > 0);
}

describe('workers that are killed, 20 times', () => {
  it('lose nothing and repeat nothing on SQLite', { timeout: 600_000 }, async () => {
    await survives({ kills: 20 });
  });

  it('lose nothing and repeat nothing on PostgreSQL with Redis', { timeout: 600_000 }, async () => {
    const postgres = await sharedPostgres();
    const redis = await startRedis();
    after(() => redis.stop());
    const store = await postgres.createDatabase();
    await survives({ kills: 20, store, queue: redis.url, storeClock: false });
  });
});
