import type { Engine } from '../engine.ts';
import { installed } from '../install.ts';
import type { Servers } from '../servers.ts';
import { startEngine } from '../start-engine.ts';

const version = '5.3.0';

export function dbos(servers: Servers): Engine {
  return {
    name: `DBOS ${version}, PostgreSQL`,
    ground: 'fsync on, synchronous_commit on',
    effectsPerStep: 1,
    async start() {
      const packages = [`@dbos-inc/dbos-sdk@${version}`];
      const folder = await installed({ name: `dbos-${version}`, packages });
      const file = new URL('dbos-child.ts', import.meta.url);
      return startEngine({ file, args: [folder, await servers.database()] });
    },
  };
}
