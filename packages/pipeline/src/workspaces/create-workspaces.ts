import { ForgeError, type Tool } from '@forge/core';
import {
  type LookLimits,
  reapPrivateGits,
  type Sandbox,
  type SandboxBackend,
  type SandboxOptions,
} from '@forge/sandbox';
import type { Store } from '@forge/store';
import type { Merge } from '../contracts.ts';
import { checkout } from './checkout.ts';
import { checkpointed } from './checkpointed.ts';
import { makeBranch } from './make-branch.ts';
import { type MergeCommits, mergeCommits } from './merge-commits.ts';
import { changedFiles, commitOf, diff } from './read-commits.ts';
import type { KeepStep } from './run-ground.ts';
import { type Checkpoint, RunWorkspace, type WorkspaceNotice } from './run-workspace.ts';
import { slugFor } from './slug-for.ts';
import type { Identity } from './write-commit.ts';

export interface WorkspacesOptions {
  readonly store: Store;
  /** Asked when the first sandbox is needed. It stays the caller's, who closes it after these. */
  readonly backend: () => Promise<SandboxBackend>;
  /** For every sandbox, also one that takes the place of another. */
  readonly sandboxOptions?: SandboxOptions | ((runId: string) => SandboxOptions);
  readonly now?: () => number;
  /** Who commits. */
  readonly identity?: Identity;
  /** What one keep may bring out of a sandbox. Default 50 MB, 100,000 files. */
  readonly limits?: Partial<LookLimits>;
  readonly onNotice?: (notice: WorkspaceNotice) => void;
  /** Called between what a keep does, by tests that end the process there. */
  readonly onStep?: (step: KeepStep) => void;
}

/**
 * A tree for each run, in a sandbox of its own, that outlives the process: after every call that may
 * have changed it, it is kept as a commit in the user's repository, under `refs/forge/runs/`. The
 * user's tree, index, branches, settings and hooks have no part in that.
 */
export interface Workspaces {
  /** The run's sandbox, begun when first asked for: with what was kept last, else where it starts. */
  sandboxOf(context: { readonly runId: string; readonly signal?: AbortSignal }): Promise<Sandbox>;
  /** The same tools, with the tree kept after each that may have changed it. */
  checkpointed(tools: readonly Tool[]): readonly Tool[];
  /** Keeps the tree as it is now. Without an open sandbox: what was kept last. */
  keep(runId: string, message: string, signal?: AbortSignal): Promise<Checkpoint>;
  /** The same as one commit with that message. Asked again for the same tree, the same commit. */
  commit(runId: string, message: string, signal?: AbortSignal): Promise<Checkpoint>;
  /** The hash of the tree as it is now: the same files, the same hash. */
  treeOf(runId: string, signal?: AbortSignal): Promise<string>;
  /** The repository of a run, and the commit its tree began with. */
  repoOf(runId: string): Promise<{ readonly path: string; readonly base: string }>;
  readonly diff: typeof diff;
  readonly changedFiles: typeof changedFiles;
  readonly commitOf: typeof commitOf;
  readonly checkout: typeof checkout;
  readonly makeBranch: typeof makeBranch;
  readonly slugFor: typeof slugFor;
  mergeCommits(options: Omit<MergeCommits, 'identity'>): Promise<Merge>;
  /** Ends a run's sandbox. Asking for it again begins another, with what was kept. */
  release(runId: string): Promise<void>;
  /** Ends all of them. From then on there are none. */
  close(): Promise<void>;
}

export const forgeIdentity: Identity = { name: 'Forge', email: 'forge@localhost' };

/**
 * @example
 * const workspaces = createWorkspaces({ store, backend: async () => createDockerBackend() });
 * const tools = createTools({ sandbox: (context) => workspaces.sandboxOf(context) });
 * defineAgent({ name: 'coder', tools: [...workspaces.checkpointed(tools)] });
 */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { store, sandboxOptions = {}, identity = forgeIdentity } = options;
  const open = new Map<string, RunWorkspace>();
  let closed = false;
  let backend: Promise<SandboxBackend> | undefined;
  const firstBackend = () => {
    backend ??= begin().catch((error: unknown) => {
      backend = undefined;
      throw error;
    });
    return backend;
  };
  const begin = async () => {
    await reapPrivateGits();
    return options.backend();
  };
  const of = (runId: string): RunWorkspace => {
    const known = open.get(runId);
    if (known !== undefined) return known;
    if (closed) throw new ForgeError('not_running', 'The workspaces were closed.');
    const made = new RunWorkspace({
      runId,
      store,
      identity,
      backend: firstBackend,
      sandboxOptions: typeof sandboxOptions === 'function' ? sandboxOptions : () => sandboxOptions,
      now: options.now ?? Date.now,
      lookLimits: options.limits ?? {},
      onNotice: options.onNotice ?? (() => {}),
      onStep: options.onStep ?? (() => {}),
    });
    open.set(runId, made);
    return made;
  };
  const release = async (runId: string) => {
    const known = open.get(runId);
    open.delete(runId);
    await known?.release();
  };
  return {
    sandboxOf: async ({ runId, signal }) => {
      // A run that has ended was released: nobody would end what is begun for it now.
      signal?.throwIfAborted();
      return of(runId).sandbox(signal);
    },
    checkpointed: (tools) => checkpointed(tools, of),
    keep: async (runId, message, signal) => of(runId).keep(message, signal),
    commit: async (runId, message, signal) => of(runId).commit(message, signal),
    treeOf: async (runId, signal) =>
      (await of(runId).keep('Checkpoint before a look', signal)).tree,
    repoOf: async (runId) => of(runId).start(),
    diff,
    changedFiles,
    commitOf,
    checkout,
    makeBranch,
    slugFor,
    mergeCommits: (merge) => mergeCommits({ ...merge, identity }),
    release,
    close: async () => {
      closed = true;
      await Promise.all([...open.keys()].map(release));
    },
  };
}
