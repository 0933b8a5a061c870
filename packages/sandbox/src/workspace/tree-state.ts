import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** What a file is, as far as it can change: compared to see whether somebody changed it. */
export type FileState =
  | {
      readonly type: 'file';
      readonly hash: string;
      readonly executable: boolean;
      readonly size: number;
    }
  | { readonly type: 'symlink'; readonly link: string }
  /** A folder, a pipe: nothing that is carried over. */
  | { readonly type: 'other' };

/** By path relative to the tree. */
export type TreeState = ReadonlyMap<string, FileState>;

export function sameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.type === 'file' && b.type === 'file') {
    return a.hash === b.hash && a.executable === b.executable;
  }
  if (a.type === 'symlink' && b.type === 'symlink') return a.link === b.link;
  return a.type === b.type;
}

/** What is at a path of the host now; undefined for nothing. Links above it are not followed. */
export async function stateOnHost(root: string, path: string): Promise<FileState | undefined> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const above = await lstat(join(root, ...parts.slice(0, depth))).catch(() => undefined);
    if (above === undefined || !above.isDirectory()) return undefined;
  }
  const full = join(root, path);
  const about = await lstat(full).catch(() => undefined);
  if (about === undefined) return undefined;
  if (about.isSymbolicLink()) return { type: 'symlink', link: await readlink(full) };
  if (!about.isFile()) return { type: 'other' };
  const { hash, size } = await hashFile(full);
  return { type: 'file', hash, size, executable: (about.mode & 0o100) !== 0 };
}

async function hashFile(path: string): Promise<{ hash: string; size: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const bytes of file.createReadStream({ autoClose: false })) {
      hash.update(bytes);
      size += bytes.length;
    }
  } finally {
    await file.close();
  }
  return { hash: hash.digest('hex'), size };
}
