import { tmpdir } from 'node:os';
import { OwnedFolders } from '../owner/owned-folders.ts';

/** What a workspace needs on the host for a while: contents of changes, a copy of a repository. */
export const workspaceFolders = () =>
  new OwnedFolders({ parent: tmpdir(), kind: 'forge-workspace' });

/** Removes what processes that died kept of their workspaces. Says what. */
export async function reapWorkspaces(): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of await workspaceFolders().abandoned()) {
    await workspaceFolders().remove(folder);
    removed.push(`changes of a workspace in ${folder.path}`);
  }
  return removed;
}
