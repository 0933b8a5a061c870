import { execFileSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';

/** Whom the server runs as; ourselves if not said. */
export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root: somebody else, then. */
export function unprivileged(): Identity {
  if (process.getuid?.() !== 0) return {};
  for (const user of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {} // No such user here.
  }
  throw new ForgeError(
    'store_failed',
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as. Add one.',
  );
}

/** An empty database cluster with one user, `forge`. */
export function makeCluster(cluster: {
  readonly bin: string;
  readonly dir: string;
  readonly identity: Identity;
  readonly password: string;
}): void {
  const { bin, dir, identity, password } = cluster;
  const passwordFile = join(dir, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (identity.uid !== undefined && identity.gid !== undefined) {
    chownSync(dir, identity.uid, identity.gid);
    chownSync(passwordFile, identity.uid, identity.gid);
  }
  const access = ['--username=forge', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const flags = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '--no-instructions'];
  try {
    const args = [`--pgdata=${join(dir, 'data')}`, ...access, ...flags];
    execFileSync(join(bin, 'initdb'), args, { ...identity, cwd: dir, stdio: 'pipe' });
  } catch (cause) {
    rmSync(dir, { recursive: true, force: true });
    throw new ForgeError('store_failed', 'initdb could not make a database. Its cause says why.', {
      cause,
    });
  }
}
