import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import type { Servers } from '../servers.ts';
import { startEngine } from '../start-engine.ts';

const file = new URL('forge-child.ts', import.meta.url);
/** The model's reply and the tool's result. */
const effectsPerStep = 2;

export const forgeOnSqlite: Engine = {
  name: 'Forge, SQLite',
  ground: 'WAL, synchronous=FULL',
  effectsPerStep,
  start: ({ folder }) => startEngine({ file, args: [join(folder, 'forge.db')] }),
};

export function forgeOnPostgres(servers: Servers): Engine {
  return {
    name: 'Forge, PostgreSQL',
    ground: 'fsync on, synchronous_commit on',
    effectsPerStep,
    start: async () => startEngine({ file, args: [await servers.database()] }),
  };
}
