import { createHash, type Hash } from 'node:crypto';
import { constants, copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ForgeError } from '@forge/core';
import { readTar } from '../archive/read-tar.ts';
import type { ReadEntry } from '../archive/tar-entry.ts';
import type { WorkspaceLimits } from './read-source.ts';
import type { FileState, TreeState } from './tree-state.ts';
import { sameState, stateOnHost } from './tree-state.ts';
import { refusalOf, staysInside } from './workspace-path.ts';

/** One file that is not as it was when the workspace was opened. */
export interface Change {
  readonly path: string;
  readonly type: 'added' | 'modified' | 'deleted';
  readonly before?: FileState;
  readonly after?: FileState;
  /** On the host: the new content of a file. */
  readonly content?: string;
}

/** A file that will not be carried over, and why. */
export interface RefusedChange {
  readonly path: string;
  readonly reason: string;
}

export interface CollectedChanges {
  /** In order of paths. */
  readonly changes: readonly Change[];
  readonly refused: readonly RefusedChange[];
}

/** Compared in memory up to this size; larger ones are written down first. */
const smallBytes = 1024 * 1024;

/**
 * Compares what came out of a sandbox with what went in. The contents of changed files are put into
 * `folder`, under names of ours.
 */
export async function collectChanges(options: {
  readonly tar: AsyncIterable<Uint8Array>;
  /** The user's tree. */
  readonly root: string;
  readonly before: TreeState;
  readonly folder: string;
  readonly limits: WorkspaceLimits;
}): Promise<CollectedChanges> {
  const { tar, root, before, folder, limits } = options;
  const changes: Change[] = [];
  const refused: RefusedChange[] = [];
  const seen = new Map<string, { readonly state: FileState; readonly content?: string }>();
  let count = 0;
  for await (const entry of readTar(tar, { entries: limits.files, bytes: limits.bytes })) {
    const path = entry.name;
    if (entry.type === 'folder') continue;
    const reason = refusalOf(path);
    if (reason !== undefined) {
      // The repository that came with the copy changes whenever git is used inside.
      if (!path.startsWith('.git/')) refused.push({ path, reason });
      continue;
    }
    const was = before.get(path);
    const now = await stateOf({ entry, was, seen, root, content: join(folder, String(count)) });
    count += 1;
    seen.set(path, now);
    const { state, content } = now;
    if (sameState(was, state)) continue;
    if (state.type === 'other') {
      refused.push({ path, reason: 'it is a second name of a file that is not carried over' });
      continue;
    }
    if (state.type === 'symlink' && !staysInside(path, state.link)) {
      refused.push({ path, reason: `it is a link out of the tree, to ${state.link}` });
      continue;
    }
    changes.push({
      path,
      type: was === undefined ? 'added' : 'modified',
      ...(was === undefined ? {} : { before: was }),
      after: state,
      ...(content === undefined ? {} : { content }),
    });
  }
  for (const [path, state] of before) {
    if (!seen.has(path)) changes.push({ path, type: 'deleted', before: state });
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { changes, refused };
}

async function stateOf(options: {
  readonly entry: ReadEntry;
  readonly was: FileState | undefined;
  readonly seen: ReadonlyMap<string, { readonly state: FileState; readonly content?: string }>;
  readonly root: string;
  readonly content: string;
}): Promise<{ readonly state: FileState; readonly content?: string }> {
  const { entry, was, seen, root, content } = options;
  if (entry.type === 'symlink') return { state: { type: 'symlink', link: entry.link } };
  if (entry.type === 'hardlink') {
    // A second name of a file. What is unchanged was not kept: the user's tree has it.
    const first = seen.get(entry.link);
    if (first?.content !== undefined || first?.state.type !== 'file')
      return first ?? { state: { type: 'other' } };
    await copyFile(join(root, entry.link), content, constants.COPYFILE_EXCL);
    const copied = await stateOnHost(dirname(content), basename(content));
    if (copied?.type === 'file' && copied.hash === first.state.hash) return { ...first, content };
    throw new ForgeError(
      'not_allowed',
      `${entry.link} was changed meanwhile. Open the workspace again.`,
    );
  }
  const executable = (entry.mode & 0o100) !== 0;
  const hash = createHash('sha256');
  if (entry.size <= smallBytes) {
    const parts: Uint8Array[] = [];
    for await (const part of entry.body) parts.push(part);
    const bytes = Buffer.concat(parts);
    const state = {
      type: 'file',
      hash: hash.update(bytes).digest('hex'),
      executable,
      size: entry.size,
    } as const;
    if (sameState(was, state)) return { state };
    await writeWhole(content, bytes);
    return { state, content };
  }
  await spool(content, entry.body, hash);
  const state = { type: 'file', hash: hash.digest('hex'), executable, size: entry.size } as const;
  if (!sameState(was, state)) return { state, content };
  await rm(content);
  return { state };
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await withNew(path, (file) => file.writeFile(bytes));
}

async function spool(path: string, body: AsyncIterable<Uint8Array>, hash: Hash): Promise<void> {
  await withNew(path, async (file) => {
    for await (const bytes of body) {
      hash.update(bytes);
      await file.writeFile(bytes);
    }
  });
}

async function withNew(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await write(file);
  } finally {
    await file.close();
  }
}
