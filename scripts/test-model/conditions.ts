import { allOff, allOn, type Switches } from '@forge/core';

export interface Condition {
  readonly name: string;
  readonly about: string;
  readonly switches: Switches;
  /** Force the shape of a call once nudges did not help. */
  readonly constrain: boolean;
}

/**
 * With everything off, a call written as text is an answer, so a model without native calls
 * cannot win; the second row is the fairer plain loop, which reads calls and does nothing else.
 */
export const conditions: readonly Condition[] = [
  { name: 'off', about: 'no guardrails', switches: allOff, constrain: false },
  {
    name: 'read',
    about: 'calls in text are read, nothing else',
    switches: { ...allOff, rescue: true },
    constrain: false,
  },
  { name: 'on', about: 'all guardrails', switches: allOn, constrain: false },
  {
    name: 'on+schema',
    about: 'all guardrails; constrained decoding after one refusal',
    switches: allOn,
    constrain: true,
  },
];
