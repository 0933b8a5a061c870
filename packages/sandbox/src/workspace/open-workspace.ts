import { Readable } from 'node:stream';
import { writeTar } from '../archive/write-tar.ts';
import type { OwnedFolder } from '../owner/owned-folders.ts';
import type { Sandbox } from '../sandbox.ts';
import { applyChanges, conflictsOf } from './apply-changes.ts';
import { type CollectedChanges, collectChanges } from './collect-changes.ts';
import { diffChanges, type WorkspaceDiff } from './diff-changes.ts';
import { leaveOutIgnored } from './leave-out-ignored.ts';
import {
  defaultWorkspaceLimits,
  readSource,
  sourceRoot,
  type WorkspaceLimits,
  type WorkspaceSource,
} from './read-source.ts';
import { type RecoverOptions, recoverTree } from './recover-tree.ts';
import type { FileState } from './tree-state.ts';
import { reapWorkspaces, workspaceFolders } from './workspace-folders.ts';

export interface OpenWorkspace extends RecoverOptions {
  readonly source: WorkspaceSource;
  readonly sandbox: Sandbox;
  readonly limits?: Partial<WorkspaceLimits>;
  readonly signal?: AbortSignal;
}

/** What was found in the sandbox at one time. */
export interface WorkspaceChanges extends CollectedChanges {
  /** New files that the tree's .gitignore leaves out; they are not carried over. */
  readonly ignored: number;
}

/** A copy of the user's tree in a sandbox. The tree itself is untouched until `apply`. */
export interface Workspace {
  /** The user's tree, as a real path. */
  readonly root: string;
  /** Looks into the sandbox. What `diff` and `apply` go by until it is called again. */
  changes(): Promise<WorkspaceChanges>;
  /** Of the changes last looked at (looks, if that was never done). Cut at `cutAt` bytes, default 1 MB. */
  diff(options?: {
    readonly cutAt?: number;
    readonly signal?: AbortSignal;
  }): Promise<WorkspaceDiff>;
  /** Files that somebody changed in the tree meanwhile: `apply` would refuse. */
  conflicts(): Promise<readonly string[]>;
  /** Puts the changes last looked at into the tree: all of them, or none. */
  apply(): Promise<WorkspaceChanges>;
  /** Forgets the changes and removes what was kept for them. The sandbox is the caller's. */
  discard(): Promise<void>;
}

const diffBytes = 1024 * 1024;

/**
 * Copies a folder or a git work tree into a sandbox's workspace. What a process that died left
 * half-applied in the tree is completed first, and what it kept is removed.
 *
 * @example
 * const workspace = await openWorkspace({ source: { type: 'git', path: '.' }, sandbox });
 * await sandbox.exec({ argv: ['npm', 'test'] }).result;
 * const { text } = await workspace.diff();
 * await workspace.apply();
 */
export async function openWorkspace(options: OpenWorkspace): Promise<Workspace> {
  const { source, sandbox, signal, stateFolder } = options;
  const limits = { ...defaultWorkspaceLimits, ...options.limits };
  const root = await sourceRoot(source);
  await reapWorkspaces();
  await recoverTree(root, { stateFolder });
  const before = new Map<string, FileState>();
  const entries = readSource({ source, root, limits, state: before, signal });
  await sandbox.copyIn('.', Readable.from(writeTar(entries), { objectMode: false }));
  return new SandboxWorkspace({ root, source, sandbox, limits, before, stateFolder });
}

class SandboxWorkspace implements Workspace {
  readonly root: string;
  readonly #sandbox: Sandbox;
  readonly #source: WorkspaceSource;
  readonly #limits: WorkspaceLimits;
  readonly #before: ReadonlyMap<string, FileState>;
  readonly #stateFolder: string | undefined;
  readonly #folders = workspaceFolders();
  #kept: { readonly folder: OwnedFolder; readonly changes: WorkspaceChanges } | undefined;

  constructor(options: {
    readonly root: string;
    readonly source: WorkspaceSource;
    readonly sandbox: Sandbox;
    readonly limits: WorkspaceLimits;
    readonly before: ReadonlyMap<string, FileState>;
    readonly stateFolder: string | undefined;
  }) {
    this.root = options.root;
    this.#source = options.source;
    this.#sandbox = options.sandbox;
    this.#limits = options.limits;
    this.#before = options.before;
    this.#stateFolder = options.stateFolder;
  }

  async changes(): Promise<WorkspaceChanges> {
    await this.discard();
    const folder = await this.#folders.create();
    try {
      const collected = await collectChanges({
        tar: await this.#sandbox.copyOut('.'),
        root: this.root,
        before: this.#before,
        folder: folder.path,
        limits: this.#limits,
      });
      const changes = await leaveOutIgnored({ root: this.root, source: this.#source, collected });
      this.#kept = { folder, changes };
      return changes;
    } catch (error) {
      await this.#folders.remove(folder);
      throw error;
    }
  }

  async diff(
    options: { readonly cutAt?: number; readonly signal?: AbortSignal } = {},
  ): Promise<WorkspaceDiff> {
    const { folder, changes } = await this.#last();
    return diffChanges({
      root: this.root,
      changes: changes.changes,
      folder: folder.path,
      cutAt: options.cutAt ?? diffBytes,
      signal: options.signal,
    });
  }

  async conflicts(): Promise<readonly string[]> {
    const { changes } = await this.#last();
    return conflictsOf(this.root, changes.changes);
  }

  async apply(): Promise<WorkspaceChanges> {
    const { changes } = await this.#last();
    await applyChanges({
      root: this.root,
      changes: changes.changes,
      stateFolder: this.#stateFolder,
    });
    await this.discard();
    return changes;
  }

  async discard(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept !== undefined) await this.#folders.remove(kept.folder);
  }

  async #last() {
    if (this.#kept === undefined) await this.changes();
    if (this.#kept === undefined)
      throw new Error('the changes were discarded while they were read');
    return this.#kept;
  }
}
