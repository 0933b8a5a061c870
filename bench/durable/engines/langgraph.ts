import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { compileIn, installed } from '../install.ts';
import type { Servers } from '../servers.ts';
import { startEngine } from '../start-engine.ts';

const version = '1.4.18';
const core = '@langchain/core@1.2.13';
const file = new URL('langgraph-child.ts', import.meta.url);

export const langGraphOnSqlite: Engine = {
  name: `LangGraph.js ${version}, SQLite`,
  ground: "WAL, synchronous=FULL, durability: 'sync'",
  effectsPerStep: 1,
  async start({ folder }) {
    const installation = await installed({
      name: `langgraph-sqlite-${version}`,
      packages: [
        `@langchain/langgraph@${version}`,
        core,
        '@langchain/langgraph-checkpoint-sqlite@1.0.4',
        // The one it asks for, 12, brings Node 24 down in the middle of a collection.
        'better-sqlite3@13.0.3',
      ],
      // The driver is native, and there is not always a binary to fetch. Takes a minute or two.
      finish: (to) => compileIn(to, 'better-sqlite3'),
    });
    return startEngine({ file, args: [installation, join(folder, 'langgraph.db')] });
  },
};

export function langGraphOnPostgres(servers: Servers): Engine {
  return {
    name: `LangGraph.js ${version}, PostgreSQL`,
    ground: "fsync on, synchronous_commit on, durability: 'sync'",
    effectsPerStep: 1,
    async start() {
      const installation = await installed({
        name: `langgraph-postgres-${version}`,
        packages: [
          `@langchain/langgraph@${version}`,
          core,
          '@langchain/langgraph-checkpoint-postgres@1.0.5',
        ],
      });
      return startEngine({ file, args: [installation, await servers.database()] });
    },
  };
}
