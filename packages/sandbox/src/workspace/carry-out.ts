import { lstat, mkdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ForgeError } from '@forge/core';
import type { Journal, Side, Step } from './apply-journal.ts';
import { refusalOf } from './workspace-path.ts';

/**
 * Brings the tree to where the journal says. May be done again from the start after a crash at any
 * point: a staged file that is gone has been put in its place already.
 */
export async function carryOut(root: string, folder: string, journal: Journal): Promise<void> {
  const forward = journal.direction === 'forward';
  const steps = journal.steps.map((step) => ({ path: step.path, ...sidesOf(step, forward) }));
  for (const { path } of steps) {
    const reason = refusalOf(path);
    if (reason !== undefined) throw new ForgeError('not_allowed', `${path}: ${reason}.`);
  }
  // Deepest first, so that a folder is empty before a file takes its place.
  const gone = steps
    .filter(({ to }) => to.type === 'nothing')
    .sort(byDepth)
    .reverse();
  for (const { path } of gone) {
    if (!(await isBehindFolders(root, path))) continue;
    const about = await lstat(join(root, path)).catch(() => undefined);
    if (about?.isDirectory()) continue; // Somebody's own: it goes with its last file, or stays.
    await rm(join(root, path), { force: true });
    await removeEmpty(root, dirname(path));
  }
  for (const { path, to } of steps.sort(byDepth)) {
    if (to.type !== 'nothing') await put({ root, folder, path, to });
  }
}

function sidesOf({ before, after }: Step, forward: boolean): { readonly to: Side } {
  return { to: forward ? after : before };
}

async function put(options: {
  readonly root: string;
  readonly folder: string;
  readonly path: string;
  readonly to: Exclude<Side, { type: 'nothing' }>;
}): Promise<void> {
  const { root, folder, path, to } = options;
  const full = join(root, path);
  if (to.type === 'symlink') {
    if ((await readlink(full).catch(() => undefined)) === to.link) return;
    await makeFolders(root, dirname(path));
    const draft = join(folder, 'link');
    await rm(draft, { force: true });
    await symlink(to.link, draft);
    return rename(draft, full);
  }
  const staged = join(folder, to.stage);
  if ((await lstat(staged).catch(() => undefined)) === undefined) return; // Done before.
  await makeFolders(root, dirname(path));
  await rename(staged, full);
}

/** Makes folders, each a real one: nothing is written through a link. */
async function makeFolders(root: string, folder: string): Promise<void> {
  if (folder === '.') return;
  await makeFolders(root, dirname(folder));
  const path = join(root, folder);
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) await mkdir(path);
  else if (!about.isDirectory()) {
    throw new ForgeError('not_allowed', `${folder} is no folder any more. Nothing was changed.`);
  }
}

async function isBehindFolders(root: string, path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const about = await lstat(join(root, folder)).catch(() => undefined);
    if (about === undefined || !about.isDirectory()) return false;
  }
  return true;
}

/** Removes folders that have nothing in them any more, upwards, but not the tree itself. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== '.'; at = dirname(at)) {
    const removed = await rmdir(join(root, at)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

function byDepth(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path.split('/').length - b.path.split('/').length || (a.path < b.path ? -1 : 1);
}
