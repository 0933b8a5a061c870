import { constants, copyFile, link, lstat, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import { ApplyFolders } from './apply-folders.ts';
import {
  type Journal,
  type JournalPlace,
  type Side,
  type Step,
  syncFolder,
  writeJournal,
} from './apply-journal.ts';
import { carryOut } from './carry-out.ts';
import type { Change } from './collect-changes.ts';
import { journalKey } from './journal-key.ts';
import { type RecoverOptions, recoverTree } from './recover-tree.ts';
import { type FileState, sameState, stateOnHost } from './tree-state.ts';

/**
 * Puts all changes into the user's tree, or none. Refused with `not_allowed`, naming the files, if
 * somebody changed one of them since the workspace was opened.
 *
 * New contents are staged in a folder of the tree, then a journal is written, then files are renamed
 * into place. A crash before the journal leaves the old tree and a folder to be thrown away; a crash
 * after it is completed by `recoverTree`, which every opening of a workspace calls.
 */
export async function applyChanges(
  options: RecoverOptions & {
    readonly root: string;
    readonly changes: readonly Change[];
    /** Called between the steps, by tests that end the process there. */
    readonly onStep?: (step: 'staged' | 'journaled' | 'done') => void;
  },
): Promise<void> {
  const { changes, stateFolder, onStep } = options;
  const root = await realpath(options.root);
  await recoverTree(root, { stateFolder });
  await refuseConflicts(root, changes);
  if (changes.length === 0) return;
  const folders = new ApplyFolders(root);
  const key = await journalKey(stateFolder);
  const folder = await folders.create(key);
  const place = { root, folder: folder.path, key };
  const journal: Journal = { v: 1, direction: 'forward', steps: [] };
  try {
    for (const [index, change] of changes.entries()) {
      journal.steps.push(await stage({ root, folder: folder.path, change, index }));
    }
    await syncFolder(folder.path);
    onStep?.('staged');
    // Staging takes a while, in which the user may have gone on.
    await refuseConflicts(root, changes);
    await writeJournal(place, journal);
  } catch (error) {
    await folders.remove(folder);
    throw error;
  }
  onStep?.('journaled');
  // The folder goes only when the tree is whole again: what is in it is the way back.
  let failure: ForgeError | undefined;
  try {
    await carryOut(root, folder.path, journal);
  } catch (error) {
    failure = await takeBack({ place, journal, cause: error });
  }
  onStep?.('done');
  await folders.remove(folder);
  if (failure !== undefined) throw failure;
}

async function refuseConflicts(root: string, changes: readonly Change[]): Promise<void> {
  const conflicts = await conflictsOf(root, changes);
  if (conflicts.length === 0) return;
  const shown = conflicts.slice(0, 10).join(', ');
  throw new ForgeError(
    'not_allowed',
    `Nothing was applied: ${conflicts.length} of the files were changed meanwhile (${shown}). Open the workspace again, or take the diff and merge by hand.`,
  );
}

/** Paths that are not as they were when the workspace was opened. */
export async function conflictsOf(root: string, changes: readonly Change[]): Promise<string[]> {
  const conflicts: string[] = [];
  const folders = new Set<string>();
  for (const { path } of changes) {
    for (let at = dirname(path); at !== '.' && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  for (const { path, before } of changes) {
    const now = await stateOnHost(root, path);
    // A folder that a file takes the place of: whether it becomes empty is seen when it is done.
    const isFolder = before === undefined && now?.type === 'other' && folders.has(path);
    if (!isFolder && !sameState(before, now)) conflicts.push(path);
  }
  return conflicts;
}

async function takeBack(options: {
  readonly place: JournalPlace;
  readonly journal: Journal;
  readonly cause: unknown;
}): Promise<ForgeError> {
  const { place, journal, cause } = options;
  const back: Journal = { ...journal, direction: 'back' };
  await writeJournal(place, back);
  await carryOut(place.root, place.folder, back);
  return new ForgeError(
    'tool_failed',
    `The changes could not be applied, and were taken back: ${messageOf(cause)}`,
    { cause },
  );
}

async function stage(options: {
  readonly root: string;
  readonly folder: string;
  readonly change: Change;
  readonly index: number;
}): Promise<Step> {
  const { root, folder, change, index } = options;
  const { path, before, after, content } = change;
  const old: Side =
    before?.type === 'file'
      ? { type: 'file', stage: `old${index}` }
      : before?.type === 'symlink'
        ? { type: 'symlink', link: before.link }
        : { type: 'nothing' };
  // The old file gets a second name, under which it outlives the first.
  if (old.type === 'file') await keep(join(root, path), join(folder, old.stage));
  if (after?.type === 'symlink') {
    return { path, before: old, after: { type: 'symlink', link: after.link } };
  }
  if (after?.type !== 'file' || content === undefined)
    return { path, before: old, after: { type: 'nothing' } };
  const name = `new${index}`;
  await copyFile(content, join(folder, name), constants.COPYFILE_EXCL);
  const file = await open(join(folder, name), 'r+');
  try {
    await file.chmod(await modeFor(join(root, path), before, after.executable));
    await file.sync();
  } finally {
    await file.close();
  }
  return { path, before: old, after: { type: 'file', stage: name } };
}

async function keep(from: string, to: string): Promise<void> {
  // Some file systems have no second names.
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_EXCL));
}

/** A file keeps the permissions it had, but for the right to be run. */
async function modeFor(
  path: string,
  before: FileState | undefined,
  executable: boolean,
): Promise<number> {
  if (before?.type !== 'file') return executable ? 0o755 : 0o644;
  const mode = (await lstat(path)).mode & 0o666;
  return executable ? mode | ((mode & 0o444) >> 2) : mode;
}
