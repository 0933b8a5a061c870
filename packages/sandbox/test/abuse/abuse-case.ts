import type { SandboxLimits, SandboxOptions } from '../../src/sandbox.ts';
import type { HostPlants } from './host-plants.ts';
import type { Stage } from './stage.ts';

/** The backends the suite runs against, in the order of the table. */
export const abuseBackends = ['docker', 'bubblewrap', 'process'] as const;
export type AbuseBackend = (typeof abuseBackends)[number];

/**
 * What is to be seen on a backend. `not offered`: it says at the start that it cannot do this.
 * `not run`: the backend is known to hold nothing of the kind, and trying would harm this machine.
 */
export type Expectation = 'holds' | 'does not hold' | 'not offered' | 'not run';

/** What was seen: whether it was held, and a few words on how, for the table. */
export interface Verdict {
  readonly held: boolean;
  readonly seen: string;
}

export interface AbuseCase {
  readonly name: string;
  /** One line for the table. */
  readonly tries: string;
  /** Where it differs from `usualExpectations`. */
  readonly on?: Partial<Readonly<Record<AbuseBackend, Expectation>>>;
  /**
   * It spoils its sandbox, or needs other limits than `stageLimits`: it gets one of its own. Others
   * share one.
   */
  readonly own?: Partial<SandboxLimits>;
  /** What its own sandbox is started with; what a backend that does not offer it refuses. */
  readonly with?: (host: HostPlants) => SandboxOptions;
  /** The sandbox may end of it; another one has to start then. Without it, it has to answer on. */
  readonly mayEnd?: boolean;
  attempt(stage: Stage): Promise<Verdict>;
}

export interface AbuseGroup {
  readonly title: string;
  readonly cases: readonly AbuseCase[];
}

const usualExpectations: Readonly<Record<AbuseBackend, Expectation>> = {
  docker: 'holds',
  bubblewrap: 'holds',
  process: 'not run',
};

export function expectationOf({ on }: AbuseCase, backend: AbuseBackend): Expectation {
  return on?.[backend] ?? usualExpectations[backend];
}

export const held = (seen: string): Verdict => ({ held: true, seen });
export const broken = (seen: string): Verdict => ({ held: false, seen });
