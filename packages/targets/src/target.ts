import type { JsonObject } from '@forge/core';
import type * as z from 'zod';

/** What a target works on: a project in one place, with what `forge.yaml` says under `deploy.config`. */
export interface TargetContext<Config = JsonObject> {
  /** The name of the project; what belongs to two projects never meets. */
  readonly project: string;
  readonly config: Config;
  /** A folder of this project and target, for what has to outlive the process. Made if need be. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** A line for people: what is being done, or what a build printed. */
  readonly tell: (line: string) => void;
}

/** What is to be deployed: a tree that was checked out for this alone, and the commit it is. */
export interface Source {
  readonly path: string;
  readonly commit: string;
}

/** Something that could be started. */
export interface Built {
  /** Of the content: of the image, or of the tree. `sha256:…` */
  readonly digest: string;
  /** What the target needs to start it, also after a restart. Plain data. */
  readonly detail: JsonObject;
}

/** A version that takes the traffic. */
export interface Live {
  readonly digest: string;
  /** Where it answers; the same for every version of the project. Undefined: it serves nobody. */
  readonly url: string | undefined;
  readonly detail: JsonObject;
}

export interface Health {
  readonly healthy: boolean;
  /** What was asked and what came back, for people and models. */
  readonly report: string;
}

/** Something that is missing or wrong, told before anything is built. */
export interface TargetProblem {
  readonly problem: string;
  readonly fix: string;
}

/**
 * A way to run software. Failures are ForgeErrors with code `deploy_failed` whose message holds the
 * last lines the software printed; whatever fails, the version that took the traffic still does.
 */
export interface Target<Config = JsonObject> {
  readonly name: string;
  /** Of `deploy.config`. Its keys are this target's own. */
  readonly config: z.ZodType<Config>;
  /** Every tool and file that is missing. Changes nothing. */
  validate(context: TargetContext<Config>, source: Source): Promise<readonly TargetProblem[]>;
  build(
    context: TargetContext<Config>,
    source: Source,
    release: { readonly id: string },
  ): Promise<Built>;
  /**
   * Starts it beside what runs, waits until it is healthy, gives it the traffic without dropping a
   * request, and keeps the one before to go back to. The same release again is no second one: what
   * a process that died left half-done is cleared away or completed. What rejects does not have the
   * traffic, also when the signal stopped it.
   */
  deploy(
    context: TargetContext<Config>,
    built: Built,
    release: { readonly id: string },
  ): Promise<Live>;
  healthCheck(context: TargetContext<Config>): Promise<Health>;
  /** Gives the traffic back to an earlier release and proves it healthy. */
  rollback(
    context: TargetContext<Config>,
    to: { readonly id: string; readonly built: Built },
  ): Promise<Live>;
  /** Ends everything of this project here. Nothing to end is no failure. */
  stop(context: TargetContext<Config>): Promise<void>;
}
