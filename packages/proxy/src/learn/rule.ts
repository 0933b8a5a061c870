import * as z from 'zod';
import { type Advice, type Lesson, modes, type Trial } from './lesson.ts';
import { wilson } from './wilson.ts';

/** What a lesson comes to, until it changes: the mode, and how often the other is tried. */
export const ruleSchema = z.object({
  mode: z.enum(modes),
  /** Every so many requests the other mode is taken; 0 for never. */
  otherEvery: z.int().min(0),
  constrainAfter: z.int().min(0).optional(),
});
export type Rule = Readonly<z.infer<typeof ruleSchema>>;

export const defaultRule: Rule = { mode: 'native', otherEvery: 0 };

/** Fewer tries decide nothing. */
const leastTries = 12;
/** A native mode that is right less often than this, for sure, is worth trying without. */
const poor = 0.5;
const exploreEvery = 5;
const comeBackEvery = 20;
const none: Trial = { tries: 0, wins: 0 };

/**
 * Decides by counts alone, so that the same file gives the same advice. One way is better than
 * another only if the lower end of its interval is above the upper end of the other's, both with
 * at least 12 tries.
 *
 * - Mode: `prompt` where it is better than `native`, with one request in 20 still native, so that
 *   a server that was mended comes back. Where native is surely right less than half the time and
 *   the prompt not yet tried enough, one request in five tries it. Else `native`.
 * - `constrainAfter`: 1 where constrained replies are better than nudged ones. They come later
 *   on the ladder, at harder requests, so they are if anything better than they look. Never 0: a
 *   first reply held to the shape of a call could not be a plain answer.
 */
export function ruleOf({ modes: byMode, rungs }: Pick<Lesson, 'modes' | 'rungs'>): Rule {
  const { native = none, prompt = none } = byMode;
  const { nudged = none, constrained = none } = rungs;
  const constrain = isBetter(constrained, nudged) ? { constrainAfter: 1 } : {};
  if (isBetter(prompt, native)) {
    return { mode: 'prompt', otherEvery: comeBackEvery, ...constrain };
  }
  const isPoor = native.tries >= leastTries && wilson(native).upper < poor;
  const isUnknown = prompt.tries < leastTries;
  return { mode: 'native', otherEvery: isPoor && isUnknown ? exploreEvery : 0, ...constrain };
}

/** The advice for the request with that number, from 1. */
export function adviceOf(rule: Rule, request: number): Advice {
  const isOther = rule.otherEvery > 0 && request % rule.otherEvery === 0;
  const { mode } = rule;
  return {
    mode: isOther ? (mode === 'native' ? 'prompt' : 'native') : mode,
    constrainAfter: rule.constrainAfter,
  };
}

export function isSameRule(one: Rule, other: Rule): boolean {
  return (
    one.mode === other.mode &&
    one.otherEvery === other.otherEvery &&
    one.constrainAfter === other.constrainAfter
  );
}

function isBetter(one: Trial, other: Trial): boolean {
  if (one.tries < leastTries || other.tries < leastTries) return false;
  return wilson(one).lower > wilson(other).upper;
}
