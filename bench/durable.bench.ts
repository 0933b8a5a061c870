import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, RunningEngine } from './durable/engine.ts';
import { bullMqDurable, bullMqUsual } from './durable/engines/bullmq.ts';
import { dbos } from './durable/engines/dbos.ts';
import { forgeOnPostgres, forgeOnSqlite } from './durable/engines/forge.ts';
import { langGraphOnPostgres, langGraphOnSqlite } from './durable/engines/langgraph.ts';
import { restate } from './durable/engines/restate.ts';
import { measureEngines } from './durable/measure-engines.ts';
import { createServers } from './durable/servers.ts';
import { speedTable, targetTable } from './durable/speed-table.ts';
import type { LiveBench } from './harness/table.ts';

const thorough = { rounds: 5, milliseconds: 2_000 };
const quick = { rounds: 3, milliseconds: 600 };
const crowd = 50;

export const bench: LiveBench = {
  name: 'durable',
  async *run(options) {
    const pace = options.quick ? quick : thorough;
    const servers = createServers();
    const folder = mkdtempSync(join(tmpdir(), 'forge-bench-'));
    const engines = [
      forgeOnSqlite,
      forgeOnPostgres(servers),
      dbos(servers),
      restate,
      langGraphOnSqlite,
      langGraphOnPostgres(servers),
      bullMqDurable,
      bullMqUsual,
    ];
    const running = new Map<Engine, RunningEngine>();
    const skipped: string[] = [];
    try {
      for (const [at, engine] of engines.entries()) {
        const own = join(folder, String(at));
        mkdirSync(own);
        try {
          running.set(engine, await engine.start({ folder: own }));
        } catch (error) {
          const [reason] = String(error).split('\n');
          skipped.push(`${engine.name} is not in this run: ${reason}`);
        }
      }
      const alone = await measureEngines({ running, atOnce: 1, ...pace });
      const crowded = await measureEngines({ running, atOnce: crowd, ...pace });
      const notes = [...skipped, ...new Set([...alone.failed, ...crowded.failed])];
      yield speedTable({ alone: alone.speeds, crowded: crowded.speeds, crowd, notes, ...pace });
      yield targetTable(crowded.speeds, {
        sqlite: forgeOnSqlite.name,
        postgres: 'Forge, PostgreSQL',
      });
    } finally {
      await Promise.all(Array.from(running.values(), (engine) => engine.stop()));
      await servers.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
