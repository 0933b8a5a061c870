import type { JsonObject } from '@forge/core';
import type { DeploymentRow, DeploymentStore } from '@forge/store';
import type { TargetRegistry } from '../create-targets.ts';
import type { Health, Source, TargetProblem } from '../target.ts';

/** A project on a target, with what `forge.yaml` says under `deploy.config`. */
export interface Place {
  readonly project: string;
  readonly target: string;
  readonly config: JsonObject;
}

interface Doing {
  readonly signal: AbortSignal;
  readonly tell?: (line: string) => void;
}

/** A tree that is there, or a commit that is checked out for the time it is needed. */
export type DeploySource = Source | { readonly commit: string };

export interface DeployOptions extends Place, Doing {
  /** The same id again is the same deployment. */
  readonly id: string;
  readonly source: DeploySource;
  readonly runId?: string;
  readonly tenant?: string;
}

export interface RollbackOptions extends Place, Doing {
  readonly reason: string;
  /**
   * The deployment that is taken back. With it, the same rollback again changes nothing. Default: the
   * live one.
   */
  readonly from?: string;
  /** The deployment that is to have the traffic. Default: the last good one before `from`. */
  readonly to?: string;
}

export interface WithdrawOptions extends Place, Doing {
  /** The deployment that is taken back. Default: the live one. */
  readonly from?: string;
  readonly reason: string;
}

/** Deploys, and keeps the history of it. */
export interface Deployer {
  /** What is missing or wrong for this target, config and tree. Changes nothing. */
  check(
    place: Place & Doing & { readonly source: DeploySource },
  ): Promise<readonly TargetProblem[]>;
  /**
   * Resolves with the deployment once it has the traffic. `deploy_failed` if it does not get it: the
   * one before still has it, and the row says why. `cancelled` if the signal stopped it: the row has
   * failed, and the same id again goes on. `limit_reached` while another process deploys the same
   * project there.
   */
  deploy(options: DeployOptions): Promise<DeploymentRow>;
  /** Writes down whether a deployment was found to do what it should. */
  verify(id: string, passed: boolean, reason?: string): Promise<DeploymentRow>;
  /**
   * Gives the traffic back and resolves with the deployment that has it now. `nothing_to_roll_back`
   * if there is none to go back to; nothing is changed then.
   */
  rollback(options: RollbackOptions): Promise<DeploymentRow>;
  /** Stops serving and resolves with the deployment that was live; undefined if nothing was. */
  withdraw(options: WithdrawOptions): Promise<DeploymentRow | undefined>;
  /** Newest first. */
  history(
    project: string,
    page?: { readonly limit?: number; readonly after?: string },
  ): ReturnType<DeploymentStore['list']>;
  /** Asks what is live now. */
  health(place: Place & Doing): Promise<Health>;
}

export interface DeployerOptions {
  readonly deployments: DeploymentStore;
  readonly targets: TargetRegistry;
  /** For what targets keep; each project and target has a folder of its own in it. */
  readonly folder: string;
  readonly now?: () => number;
  /** A tree of a commit for a while. Needed for sources that are commits alone. */
  readonly checkout?: (
    commit: string,
    signal: AbortSignal,
  ) => Promise<{ readonly path: string; remove(): Promise<void> }>;
}
