import { readdir, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { ForgeError } from '@forge/core';
import { ApplyFolders } from './apply-folders.ts';
import { readJournal } from './apply-journal.ts';
import { carryOut } from './carry-out.ts';
import { type JournalKey, journalKey } from './journal-key.ts';
import { applyPrefix } from './workspace-path.ts';

export interface RecoverOptions {
  /** Where the key is kept by which our own journals are known. Default `~/.local/state/forge`. */
  readonly stateFolder?: string | undefined;
}

/**
 * Completes what a process that died left half-done in a tree, so that it is the old or the new one.
 * Says what was done. `not_allowed` while another process is at it, and if there are journals that
 * this user's Forge did not write: they may have come with the tree, and are left as they are.
 */
export async function recoverTree(
  tree: string,
  { stateFolder }: RecoverOptions = {},
): Promise<readonly string[]> {
  const root = await realpath(tree);
  const folders = new ApplyFolders(root);
  const done: string[] = [];
  const foreign = new Set<string>();
  let key: JournalKey | undefined;
  for (const folder of await folders.abandoned()) {
    key ??= await journalKey(stateFolder);
    const place = { root, folder: folder.path, key };
    const journal = folders.isOwn(folder, key) ? await readJournal(place) : 'foreign';
    if (journal === 'foreign') {
      foreign.add(basename(folder.path));
      continue;
    }
    if (journal !== undefined) {
      await carryOut(root, folder.path, journal);
      const what = journal.direction === 'forward' ? 'completed' : 'taken back';
      done.push(`${journal.steps.length} changes of ${root} that were interrupted are ${what}`);
    }
    await folders.remove(folder);
  }
  if (foreign.size > 0) {
    throw new ForgeError(
      'not_allowed',
      `${[...foreign].slice(0, 5).join(', ')} in ${root}: changes to be completed there were not begun by your Forge in this place, so they are left alone. Did they come with the tree, remove them; else look into them.`,
    );
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
