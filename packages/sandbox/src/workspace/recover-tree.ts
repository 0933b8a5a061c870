import { readdir } from 'node:fs/promises';
import { ForgeError } from '@forge/core';
import { OwnedFolders } from '../owner/owned-folders.ts';
import { readJournal } from './apply-journal.ts';
import { carryOut } from './carry-out.ts';
import { applyPrefix } from './workspace-path.ts';

/**
 * Completes what a process that died left half-done in a tree, so that it is the old or the new one.
 * Says what was done. `not_allowed` while another process is at it.
 */
export async function recoverTree(root: string): Promise<readonly string[]> {
  const folders = new OwnedFolders({ parent: root, kind: applyPrefix });
  const done: string[] = [];
  for (const folder of await folders.abandoned()) {
    const journal = await readJournal(folder.path);
    if (journal !== undefined) {
      await carryOut(root, folder.path, journal);
      const what = journal.direction === 'forward' ? 'completed' : 'taken back';
      done.push(`${journal.steps.length} changes of ${root} that were interrupted are ${what}`);
    }
    await folders.remove(folder);
  }
  const busy = (await readdir(root)).find((name) => name.startsWith(`${applyPrefix}-`));
  if (busy !== undefined) {
    throw new ForgeError(
      'not_allowed',
      `Another process is applying changes to ${root} (${busy}). Wait for it; if there is none, look into that folder and remove it.`,
    );
  }
  return done;
}
