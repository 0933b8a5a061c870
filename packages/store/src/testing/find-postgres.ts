import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';

/** Where packages put servers: one folder per version, or one for all. */
const versioned = ['/usr/lib/postgresql', '/usr/local/lib/postgresql', '/Library/PostgreSQL'];
const plain = ['/usr/local/pgsql/bin', '/opt/homebrew/bin', '/usr/local/bin', '/usr/bin'];
/** What the store is written for. */
const oldest = 15;

/** The folder of `initdb` and `pg_ctl`, of the oldest version that will do: the one we promise. */
export function findPostgres(roots: readonly string[] = versioned): string {
  const found = roots.flatMap(versionsIn).sort((a, b) => a.version - b.version);
  const folders = [...found.map(({ bin }) => bin), ...plain];
  const bin = folders.find((folder) => existsSync(join(folder, 'pg_ctl')));
  if (bin !== undefined) return bin;
  throw new ForgeError(
    'not_found',
    `No PostgreSQL server ${oldest} or later is installed. Run "sh scripts/provision.sh", or install it by hand (Debian: postgresql-15).`,
  );
}

function versionsIn(root: string): { readonly version: number; readonly bin: string }[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((name) => ({ version: Number(name), bin: join(root, name, 'bin') }))
    .filter(({ version }) => version >= oldest);
}
