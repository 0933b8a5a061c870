import { ForgeError } from '../errors.ts';

/** How much a run may spend before it is stopped. Counters that say "in a row" start over after a success. */
export interface Limits {
  /** Model turns, retries included. */
  readonly turns: number;
  /** Refused replies in a row. */
  readonly retries: number;
  /** Failed tool calls in a row. */
  readonly toolErrors: number;
  /** Attempts in a row to finish with steps missing. */
  readonly premature: number;
  /** Calls in a row before their prerequisite. */
  readonly prerequisites: number;
  /** Times in a row a loop may be pointed out. */
  readonly repeats: number;
  /** Tool calls in one reply. */
  readonly callsPerTurn: number;
  /** Tool calls at the same time. */
  readonly parallelTools: number;
  /** Tokens in and out, over the run. */
  readonly tokens: number;
  /** US dollars, over the run. */
  readonly cost: number;
  /** Milliseconds, over the run. */
  readonly duration: number;
}

export const defaultLimits: Limits = {
  turns: 25,
  retries: 3,
  toolErrors: 2,
  premature: 3,
  prerequisites: 2,
  repeats: 2,
  callsPerTurn: 64,
  parallelTools: 8,
  tokens: Number.POSITIVE_INFINITY,
  cost: Number.POSITIVE_INFINITY,
  duration: Number.POSITIVE_INFINITY,
};

const atLeastOne: ReadonlySet<string> = new Set(['turns', 'callsPerTurn', 'parallelTools']);

/** The defaults with what was given on top; wrong names and numbers are errors. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new ForgeError(
        'invalid_agent',
        `limits has no "${name}". It takes: ${Object.keys(defaultLimits).join(', ')}.`,
      );
    }
    const least = atLeastOne.has(name) ? 1 : 0;
    if (value !== undefined && !(typeof value === 'number' && value >= least)) {
      throw new ForgeError(
        'invalid_agent',
        `limits.${name} must be a number of at least ${least}, not ${String(value)}. Leave it out for the default, ${defaultLimits[name as keyof Limits]}.`,
      );
    }
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultLimits, ...Object.fromEntries(set) };
}
