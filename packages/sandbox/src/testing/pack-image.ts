import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';

/**
 * An image of files of this machine, unless the daemon has it. The script packs them: `$1` is a
 * folder of its own, `$2` and on are `args`, and it prints a tar that `load` gives to the daemon.
 */
export async function packImage({
  docker,
  tag,
  script,
  args = [],
  load,
}: {
  readonly docker: Docker;
  readonly tag: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly load: (tar: Readable) => Promise<NodeJS.ReadableStream>;
}): Promise<string> {
  const there = await docker
    .getImage(tag)
    .inspect()
    .catch(() => undefined);
  if (there !== undefined) return tag;
  const folder = mkdtempSync(join(tmpdir(), 'forge-image-'));
  try {
    const tar = spawn('sh', ['-c', script, 'sh', folder, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    });
    const exited = once(tar, 'exit');
    const progress = await load(tar.stdout);
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
    });
    const [code] = await exited;
    if (code !== 0) throw new Error(`The files of ${tag} could not be packed (${code}).`);
    return tag;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
