import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import { asNumber, asText } from '../shared/lenient.ts';
import type { ReasoningSettings } from '../wire.ts';
import { camelKeys } from './camel-keys.ts';
import { takesThinkingLevel } from './model-generation.ts';

/**
 * Tokens for a level on models that only know a budget: what Google's own OpenAI-compatible
 * endpoint gives for each (ai.google.dev/gemini-api/docs/openai, "Thinking").
 */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24576,
  xhigh: 24576,
  max: 24576,
};

/** Words of other wires for more than Gemini's highest. */
const levels: Readonly<Record<string, string>> = { xhigh: 'HIGH', max: 'HIGH' };

/**
 * Asking for reasoning also asks to see it. A client that did not is remembered in `rest`, and
 * so is not sent thoughts it would show as text.
 */
export function decodeThinking(value: JsonValue | undefined): {
  reasoning?: ReasoningSettings;
  rest?: JsonObject;
} {
  if (!isJsonObject(value)) return {};
  const { thinkingLevel, thinkingBudget, includeThoughts, ...others } = camelKeys(value);
  const effort = asText(thinkingLevel)?.toLowerCase();
  const budgetTokens = asNumber(thinkingBudget);
  const reasoning = {
    ...(effort !== undefined && { effort }),
    ...(budgetTokens !== undefined && { budgetTokens }),
  };
  const wantsNone = isEmpty(reasoning) && includeThoughts !== true;
  const shows = includeThoughts === true || budgetTokens === 0;
  const rest = { ...others, ...(!shows && !wantsNone && { includeThoughts: false }) };
  return {
    ...(!wantsNone && { reasoning }),
    ...(!isEmpty(rest) && { rest }),
  };
}

/** Level and budget exclude each other; each model gets the one it takes. */
export function encodeThinking(
  reasoning: ReasoningSettings | undefined,
  { rest, model }: { rest: JsonValue | undefined; model: string },
): JsonObject | undefined {
  const others = isJsonObject(rest) ? rest : {};
  if (reasoning === undefined) return isEmpty(others) ? undefined : others;
  const amount = amountOf(reasoning, takesThinkingLevel(model));
  const shows: JsonObject = amount.thinkingBudget === 0 ? {} : { includeThoughts: true };
  return { ...shows, ...amount, ...others };
}

function amountOf({ effort, budgetTokens }: ReasoningSettings, takesLevel: boolean): JsonObject {
  if (effort === 'none') return { thinkingBudget: 0 };
  if (effort !== undefined && (takesLevel || budgetTokens === undefined)) {
    const budget = takesLevel ? undefined : budgets[effort];
    if (budget !== undefined) return { thinkingBudget: budget };
    return { thinkingLevel: levels[effort] ?? effort.toUpperCase() };
  }
  return budgetTokens === undefined ? {} : { thinkingBudget: budgetTokens };
}
