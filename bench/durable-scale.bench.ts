import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@forge/store';
import { parkedCost } from './durable/scale/parked-cost.ts';
import { queryCost } from './durable/scale/query-cost.ts';
import { turnCost } from './durable/scale/turn-cost.ts';
import { createServers } from './durable/servers.ts';
import type { LiveBench } from './harness/table.ts';

const longPast = 10_000;
const shortPast = 100;
const parked = 10_000;
const fewRuns = 100;
const manyRuns = 10_000;

/** What must not grow: a turn with its past, a worker with what waits, a query with the store. */
export const bench: LiveBench = {
  name: 'durable-scale',
  async *run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'forge-bench-'));
    const servers = createServers();
    const grounds = [
      { name: 'SQLite', address: async (name: string) => join(folder, `${name}.db`) },
      // Filling it takes minutes.
      ...(quick ? [] : [{ name: 'PostgreSQL', address: () => servers.database() }]),
    ];
    try {
      yield turnCost({ folder, turns: quick ? 20 : 60, longPast, shortPast });
      for (const { name, address } of grounds) {
        yield parkedCost({ name, address, many: parked, wakeUps: quick ? 120 : 400 });
      }
      for (const { name, address } of grounds) {
        const open = async (store: string) => openStore(await address(store));
        yield queryCost({ name, open, fewRuns, manyRuns, samples: quick ? 100 : 300 });
      }
    } finally {
      await servers.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
