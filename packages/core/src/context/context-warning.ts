import { ForgeError } from '../errors.ts';

export interface WarningStep {
  /** The part of the budget from which on the warning applies. */
  readonly at: number;
  readonly text: (percent: number) => string;
}

/** What the model is told when its context fills up: early to plan, late to finish. */
export const defaultWarnings: readonly WarningStep[] = [
  {
    at: 0.65,
    text: (percent) =>
      `[Context ${percent}% full. Older tool results may be shortened soon: note down what you still need from them.]`,
  },
  {
    at: 0.8,
    text: (percent) =>
      `[Context ${percent}% full. Finish with what you have: ask only for small results, and do not read again what you have already read.]`,
  },
];

/**
 * Says once per threshold that the context fills up, and again only after usage fell below it. Give
 * back `level` with the next call; it starts at 0. Passing several thresholds at once gives one
 * warning, the strongest. A fraction that is not a number changes nothing.
 *
 * @example
 * contextWarning({ level: 0, fraction: 0.7 }); // { level: 1, warning: '[Context 70% full. …]' }
 * contextWarning({ level: 1, fraction: 0.72 }); // { level: 1 }
 */
export function contextWarning({
  level: previous,
  fraction,
  steps = defaultWarnings,
}: {
  level: number;
  fraction: number;
  /** Thresholds, rising. */
  steps?: readonly WarningStep[];
}): { readonly level: number; readonly warning?: string } {
  if (steps.some(({ at }, index) => !(at > (steps[index - 1]?.at ?? 0)))) {
    throw new ForgeError(
      'invalid_options',
      `Context warnings must be at rising parts of the budget above 0, got ${steps.map(({ at }) => at).join(', ')}.`,
    );
  }
  if (Number.isNaN(fraction)) return { level: previous };
  const level = steps.filter(({ at }) => fraction >= at).length;
  const step = steps[level - 1];
  if (level <= previous || step === undefined) return { level };
  return { level, warning: step.text(Math.floor(fraction * 100)) };
}
