import type { Problem, Tone, Usage } from '@forge/core';
import type { Wire, WireErrorKind } from '@forge/models';

/**
 * What became of a request:
 *
 * - `clean`: the reply was right and left as it came.
 * - `rescued`: a call was found in text.
 * - `repaired`: something was mended without asking again.
 * - `retried`: a refused reply was asked for again, and the next one was right.
 * - `exhausted`: the retries ran out; the best reply went out with a marker.
 * - `passed`: there was nothing to guard.
 * - `failed`: no reply was to be had from the backend; the client got an error.
 * - `refused`: the proxy itself said no (a key, a limit, a bad request).
 * - `cancelled`: the client left.
 */
export type Outcome =
  | 'clean'
  | 'rescued'
  | 'repaired'
  | 'retried'
  | 'exhausted'
  | 'passed'
  | 'failed'
  | 'refused'
  | 'cancelled';

/** How a reply was asked for: as the client asked, with tools in the prompt, with nudges, or held to a schema. */
export type Rung = 'native' | 'prompt' | 'nudged' | 'constrained';

/** What was wrong with a reply: what the kernel says, or that it lacks the shape that was asked for. */
export type ProblemName = Problem['kind'] | 'bad_format';

/** One reply of the model, as it was judged. */
export interface Attempt {
  readonly rung: Rung;
  /** What was wrong with it; empty for the one that was taken. */
  readonly problems: readonly ProblemName[];
  /** How firmly it was told so. */
  readonly tone?: Tone;
  /** The format its calls were rescued from. */
  readonly format?: string;
  /** What was mended, by kind. */
  readonly mended: readonly string[];
  readonly usage?: Usage;
}

/** One request that is over. Holds nothing of what was said in it. */
export interface ProxyEvent {
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds it took. */
  readonly took: number;
  readonly method: string;
  readonly path: string;
  /** The wire of the client, for requests of a reply. */
  readonly wire?: Wire['name'];
  readonly model?: string;
  readonly stream?: boolean;
  /** How many tools the request offered. */
  readonly tools?: number;
  readonly status: number;
  readonly outcome: Outcome;
  readonly attempts: readonly Attempt[];
  readonly temperature?: number;
  readonly session?: string;
  readonly error?: { readonly kind: WireErrorKind; readonly message: string };
}
