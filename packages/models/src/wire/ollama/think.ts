import type { JsonValue } from '@forge/core';
import type { ReasoningSettings } from '../wire.ts';

/** The levels Ollama knows, by the words others use for them. Any other effort is plain `true`. */
const levels: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
};

/** A budget in tokens cannot be said: it only turns thinking on, or off if it is 0. */
export function encodeThink(reasoning: ReasoningSettings | undefined): JsonValue | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens } = reasoning;
  if (effort === undefined) return budgetTokens !== 0;
  return effort === 'none' ? false : (levels[effort] ?? true);
}

export function decodeThink(think: JsonValue | undefined): ReasoningSettings | undefined {
  if (think === true) return {};
  if (think === false) return { effort: 'none' };
  return typeof think === 'string' && think !== '' ? { effort: think } : undefined;
}
