import type { JsonValue, Tool } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import type { Merge } from '../contracts.ts';

/** What the agents need of the world. They know nothing of stores, targets or folders. */

/** A tree of a run as it was kept. */
export interface Kept {
  readonly commit: string;
  /** The hash of the tree: the same files, the same hash. */
  readonly tree: string;
  /** What differs from the tree the run began with. */
  readonly files: readonly string[];
}

export interface RepositoryOfRun {
  /** The repository on this machine. */
  readonly path: string;
  /** The commit the run's tree began with. */
  readonly base: string;
}

/** The tree of a run, in a sandbox, and the repository it comes from. */
export interface WorkspacePort {
  sandboxOf(context: { readonly runId: string; readonly signal?: AbortSignal }): Promise<Sandbox>;
  /** The same tools, with the tree kept after each that may have changed it. */
  checkpointed(tools: readonly Tool[]): readonly Tool[];
  /** Keeps the tree as it is now, so that a restart finds it. */
  keep(runId: string, message: string): Promise<Kept>;
  /**
   * All that the run changed as one commit on the commit it began with. The same tree and message
   * give the same commit, so that it may be asked for again after a crash.
   */
  commit(runId: string, message: string): Promise<Kept>;
  repoOf(runId: string): Promise<RepositoryOfRun>;
  /** The changes as text, cut at so many bytes. */
  diff(range: {
    readonly repo: string;
    readonly from: string;
    readonly to: string;
    readonly cutAt: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly text: string; readonly cut: boolean }>;
  changedFiles(range: {
    readonly repo: string;
    readonly from: string;
    readonly to: string;
    readonly signal?: AbortSignal;
  }): Promise<readonly string[]>;
  mergeCommits(merge: {
    readonly repo: string;
    readonly base: string;
    /** In the order they are merged. */
    readonly commits: readonly { readonly id: string; readonly commit: string }[];
    readonly message: string;
    readonly signal?: AbortSignal;
  }): Promise<Merge>;
  /**
   * Makes the branch, or another of a similar name where there is one with other content. The name
   * that it has. Asking again for the same commit makes no second one.
   */
  makeBranch(branch: {
    readonly repo: string;
    readonly name: string;
    readonly commit: string;
  }): Promise<string>;
  /** A few words of a request, fit for the name of a branch. */
  slugFor(request: string): string;
}

export interface DeployedVersion {
  readonly id: string;
  readonly commit: string;
  readonly digest: string;
  readonly url?: string | undefined;
}

/** The project's deploy target, with its history. */
export interface DeployPort {
  /** The name of the target. */
  readonly target: string;
  /** What is missing or wrong, before anything is built. */
  check(source: {
    readonly commit: string;
    readonly runId: string;
    readonly signal: AbortSignal;
  }): Promise<readonly { readonly problem: string; readonly fix: string }[]>;
  /** The same id again is the same deployment: it is completed, or given as it is. */
  deploy(release: {
    readonly id: string;
    readonly commit: string;
    readonly runId: string;
    readonly signal: AbortSignal;
    readonly tell: (line: string) => void;
  }): Promise<DeployedVersion>;
  verify(id: string, passed: boolean, reason?: string): Promise<void>;
  /**
   * Goes back from this deployment to the last good one. Where it takes no traffic any more, it was
   * done before: gives what took its place. `nothing_to_roll_back` if there is no earlier one.
   */
  rollback(order: {
    readonly from: string;
    readonly reason: string;
    readonly signal: AbortSignal;
    readonly tell: (line: string) => void;
  }): Promise<{ readonly to: string }>;
  /** Ends what serves, for want of anything to go back to. Again is no failure. */
  withdraw(order: {
    readonly id: string;
    readonly reason: string;
    readonly signal: AbortSignal;
    readonly tell: (line: string) => void;
  }): Promise<void>;
  health(signal: AbortSignal): Promise<{ readonly healthy: boolean; readonly report: string }>;
}

/** What the log of a run says. A tool that has to know what happened before asks here. */
export interface RunPort {
  /** What the run was given: parsed where it is a JSON object, else the text. */
  inputOf(runId: string): Promise<JsonValue>;
  /** What a tool gave back in this run, call by call, the texts of each; only where it went well. */
  resultsOf(runId: string, tool: string): Promise<readonly (readonly string[])[]>;
}
