import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { deployFailed } from '../deploy-failed.ts';

export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
}

const usual: TreeLimits = { files: 200_000, bytes: 4 * 1024 ** 3 };

/**
 * Copies a tree for a release of its own and gives the digest of its content: names, kinds, who may
 * run what, and bytes. The repository's own `.git` is left out, so are sockets and devices. A link
 * that leaves the tree is refused: it would show another release, or this machine.
 */
export async function copyTree({
  from,
  to,
  signal,
  limits = usual,
}: {
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
  readonly limits?: TreeLimits;
}): Promise<string> {
  const root = await realpath(from);
  const digest = createHash('sha256');
  let files = 0;
  let bytes = 0;
  const waiting = [''];
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = (await readdir(join(root, folder))).sort();
    for (const each of names) {
      signal.throwIfAborted();
      const name = folder === '' ? each : `${folder}/${each}`;
      if (name === '.git') continue;
      const source = join(root, name);
      const about = await lstat(source);
      files += 1;
      bytes += about.isFile() ? about.size : 0;
      checkLimits({ files, bytes }, limits);
      if (about.isDirectory()) {
        await mkdir(join(to, name));
        entry(digest, 'folder', name, '');
        waiting.push(name);
      } else if (about.isSymbolicLink()) {
        const link = await readlink(source);
        await checkLink(root, name, link);
        await symlink(link, join(to, name));
        entry(digest, 'link', name, link);
      } else if (about.isFile()) {
        await copyFile(source, join(to, name), constants.COPYFILE_FICLONE);
        const kind = (about.mode & 0o100) === 0 ? 'file' : 'program';
        entry(digest, kind, name, await hashOf(source));
      }
    }
  }
  return `sha256:${digest.digest('hex')}`;
}

function entry(digest: ReturnType<typeof createHash>, ...parts: readonly string[]): void {
  digest.update(`${JSON.stringify(parts)}\n`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

function checkLimits(now: TreeLimits, { files, bytes }: TreeLimits): void {
  if (now.files > files) throw deployFailed(`The tree has more than ${files} files.`);
  if (now.bytes > bytes) throw deployFailed(`The tree has more than ${bytes} bytes.`);
}

async function checkLink(root: string, name: string, link: string): Promise<void> {
  const target = normalize(join(dirname(name), link));
  const leaves = isAbsolute(link) || target === '..' || target.startsWith(`..${sep}`);
  // What its name says may not be where it leads, by way of other links.
  const real = leaves
    ? undefined
    : await realpath(join(root, name)).catch(() => join(root, target));
  if (real === root || real?.startsWith(`${root}${sep}`)) return;
  throw deployFailed(
    `The link ${name} leads out of the tree, to ${link}. Make it relative and within, or remove it.`,
  );
}
