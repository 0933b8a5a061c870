import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '@forge/pipeline';
import { OwnedFolders } from '@forge/sandbox/owner';

/** A tree of a commit for as long as a deployment needs it. What dead processes left goes first. */
export async function temporaryTree(repo: string, commit: string, signal: AbortSignal) {
  const folders = new OwnedFolders({ parent: tmpdir(), kind: 'forge-checkout' });
  for (const left of await folders.abandoned()) await folders.remove(left);
  const folder = await folders.create();
  const path = join(folder.path, 'tree');
  try {
    await checkout({ repo, commit, folder: path, signal });
  } catch (error) {
    await folders.remove(folder);
    throw error;
  }
  return { path, remove: () => folders.remove(folder) };
}
