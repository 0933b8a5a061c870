import type { Wire } from '@forge/models';
import type { Outcome, Rung } from '../proxy-event.ts';

/** All outcomes, in the order they are shown. */
export const outcomes = [
  'clean',
  'rescued',
  'repaired',
  'retried',
  'exhausted',
  'passed',
  'failed',
  'refused',
  'cancelled',
] as const satisfies readonly Outcome[];

export const rungs = [
  'native',
  'prompt',
  'nudged',
  'constrained',
] as const satisfies readonly Rung[];

export const wires = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'ollama',
] as const satisfies readonly Wire['name'][];

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** The place of each in its list. A name that is missing from a list above does not compile here. */
export const outcomeAt: Readonly<Record<Outcome, number>> = places(outcomes);
export const rungAt: Readonly<Record<Rung, number>> = places(rungs);
export const wireAt: Readonly<Record<Wire['name'], number>> = places(wires);

function places<Name extends string>(names: readonly Name[]): Record<Name, number> {
  const at = {} as Record<Name, number>;
  names.forEach((name, place) => {
    at[name] = place;
  });
  return at;
}
