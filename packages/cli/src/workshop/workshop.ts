import type { Agent } from '@forge/core';
import type { CheckedPipeline } from '@forge/pipeline';
import type { Approvals, Runtime, Worker } from '@forge/runtime';
import type { RunRow, Store } from '@forge/store';
import type { Deployer } from '@forge/targets';
import type { Settings } from '../settings/settings-schema.ts';

/** What commands start, by the names without the project: see `bareAgent`. */
export const topAgents = { pipeline: 'pipeline', agent: 'agent', deploy: 'deploy' } as const;

/**
 * Everything the commands about runs need, put together from the settings. Opening it opens the
 * store and nothing else; sandboxes, models and MCP servers are begun when a worker needs them.
 */
export interface Workshop {
  readonly settings: Settings;
  /** The project's folder: that of forge.yaml, else of the repository, else the working directory. */
  readonly root: string;
  readonly project: string;
  readonly store: Store;
  /** Where the store is: a file, or `postgres://…`, which may hold a password. */
  readonly storeAddress: string;
  readonly runtime: Runtime;
  approvals(): Promise<Approvals>;
  deployer(): Promise<Deployer>;
  /** The pipeline of this project, checked. Throws what is wrong with it. */
  pipeline(): Promise<CheckedPipeline>;
  agents(): Promise<readonly Agent[]>;
  /** Everything `forge run` checks before it begins: git, tree, target, models. Throws ForgeErrors. */
  launchPipeline(request: string, options: LaunchPipeline): Promise<RunRow>;
  launchAgent(task: string, options: LaunchAgent): Promise<RunRow>;
  launchReview(options: { readonly range?: string }): Promise<RunRow>;
  launchDeploy(options: { readonly commit?: string }): Promise<RunRow>;
  /** Works on runs in this process until stopped. */
  startWorker(options?: {
    readonly concurrency?: number;
    /** Only this run and what is below it. Default: all runs of the project, and its schedules. */
    readonly only?: RunRow;
    /** The store as this worker is to see it: what it may claim. */
    readonly view?: (store: Store) => Store;
    /** Whether it fires schedules. Default: unless it is for one run only. */
    readonly schedules?: boolean;
    readonly onProblem?: (line: string) => void;
  }): Promise<Worker>;
  close(): Promise<void>;
}

export interface LaunchAgent {
  /** The same id twice is one run. */
  readonly id?: string;
  readonly title?: string;
  /** The commit to begin with. Default HEAD of a clean tree on a branch. */
  readonly base?: string;
}

export interface LaunchPipeline extends LaunchAgent {
  /** Stops before anything is deployed. */
  readonly dryRun?: boolean;
}
