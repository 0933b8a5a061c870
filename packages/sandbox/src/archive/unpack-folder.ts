import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusedEntry } from './bad-archive.ts';
import type { ReadEntry } from './tar-entry.ts';

/**
 * Unpacks entries into a folder of this machine that exists. Nothing is written through a link,
 * neither of the archive nor one that was there before.
 */
export async function unpackFolder(root: string, entries: AsyncIterable<ReadEntry>): Promise<void> {
  const folders = new Set<string>(['.']);
  for await (const entry of entries) {
    const path = join(root, entry.name);
    await makeFolders(root, dirname(entry.name), folders);
    switch (entry.type) {
      case 'folder':
        await makeFolders(root, entry.name, folders);
        break;
      case 'file':
        await rm(path, { force: true });
        await writeNew(path, entry);
        break;
      case 'symlink':
        await rm(path, { force: true });
        await symlink(entry.link, path);
        break;
      case 'hardlink':
        await rm(path, { force: true });
        await link(join(root, entry.link), path);
        break;
      default:
        entry.type satisfies never;
    }
  }
}

async function writeNew(path: string, { mode, mtime, body }: ReadEntry): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for await (const bytes of body) await file.writeFile(bytes);
    await file.chmod(mode);
    if (mtime > 0) await file.utimes(mtime, mtime);
  } finally {
    await file.close();
  }
}

/** Makes a folder and those above it, each a real one. `known` are those looked at already. */
async function makeFolders(root: string, folder: string, known: Set<string>): Promise<void> {
  if (known.has(folder)) return;
  await makeFolders(root, dirname(folder), known);
  const path = join(root, folder);
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) await mkdir(path);
  else if (!about.isDirectory())
    throw refusedEntry(folder, 'leads through something that is no folder');
  known.add(folder);
}
