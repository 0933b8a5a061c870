import type { JsonObject } from '@forge/core';
import type { Page } from '../store.ts';

/**
 * `building` and `starting`: under way. `live`: it has the traffic. `replaced`: it had it, until
 * another came. `failed`: it never had it. `rolled_back`: it had it and was taken back.
 */
export type DeploymentState =
  | 'building'
  | 'starting'
  | 'live'
  | 'replaced'
  | 'failed'
  | 'rolled_back';

/** One version of a project on one target. */
export interface DeploymentRow {
  readonly id: string;
  readonly project: string;
  readonly target: string;
  readonly tenant: string | undefined;
  readonly commit: string;
  readonly digest: string | undefined;
  readonly url: string | undefined;
  readonly state: DeploymentState;
  /** Whether a verification passed; undefined before one was made. */
  readonly verified: boolean | undefined;
  /** Why it failed or was taken back; without secrets, and the beginning alone of a very long one. */
  readonly reason: string | undefined;
  /** The deployment that had the traffic before it. */
  readonly replaces: string | undefined;
  /** The run that made it. */
  readonly runId: string | undefined;
  /**
   * What the target needs to start it again; without secrets. One that is damaged comes as
   * `{ broken, text }`.
   */
  readonly detail: JsonObject;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

/** A deployment that begins. */
export type NewDeployment = Pick<
  DeploymentRow,
  'id' | 'project' | 'target' | 'commit' | 'startedAt'
> &
  Partial<Pick<DeploymentRow, 'tenant' | 'runId' | 'replaces'>>;

/** The fields of a deployment that change. One that is given as undefined is taken away. */
export type DeploymentChange = Partial<
  Pick<
    DeploymentRow,
    'digest' | 'url' | 'state' | 'verified' | 'reason' | 'replaces' | 'detail' | 'endedAt'
  >
>;

export interface DeploymentStore {
  /** It is `building`. The same id again gives the row that is there, unchanged. */
  begin(deployment: NewDeployment): Promise<DeploymentRow>;
  /**
   * Changes a deployment that is still in one of these states; `seq_conflict` if it is not,
   * `not_found` without it. With `alsoReplaces`, whatever else of that project and target is `live`
   * becomes `replaced` in the same transaction, and ends with it.
   *
   * There is one that is `live` at most: without `alsoReplaces`, to become that beside another is a
   * `seq_conflict`. What becomes `live` has not ended, unless the change says when.
   */
  change(
    id: string,
    from: readonly DeploymentState[],
    change: DeploymentChange,
    options?: { readonly alsoReplaces?: boolean },
  ): Promise<DeploymentRow>;
  get(id: string): Promise<DeploymentRow | undefined>;
  /** The one that has the traffic. */
  live(project: string, target: string): Promise<DeploymentRow | undefined>;
  /** Newest first. */
  list(
    filter?: {
      readonly project?: string;
      readonly target?: string;
      readonly state?: DeploymentState;
      readonly tenant?: string;
    },
    page?: { readonly limit?: number; readonly after?: string },
  ): Promise<Page<DeploymentRow>>;
}
