import { isJsonObject, type JsonObject, type JsonValue, type Usage } from '@forge/core';
import { asNumber, otherFields } from '../shared/lenient.ts';

const known = new Set([
  'promptTokenCount',
  'candidatesTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
]);

/**
 * Gemini counts thoughts beside the candidate's tokens, and what its own tools brought in beside
 * the prompt's; ours are the sums. The rest (details per modality) rides along.
 */
export function decodeUsage(value: JsonValue | undefined): { usage?: Usage; rest?: JsonObject } {
  if (!isJsonObject(value)) return {};
  const rest = otherFields(value, known);
  const prompt = asNumber(value.promptTokenCount);
  const candidates = asNumber(value.candidatesTokenCount);
  const cached = asNumber(value.cachedContentTokenCount);
  const thoughts = asNumber(value.thoughtsTokenCount);
  const isTold = [prompt, candidates, thoughts].some((count) => count !== undefined);
  return {
    ...(isTold && {
      usage: {
        inputTokens: (prompt ?? 0) + toolTokens(value),
        outputTokens: (candidates ?? 0) + (thoughts ?? 0),
        ...(cached !== undefined && { cachedInputTokens: cached }),
        ...(thoughts !== undefined && { reasoningTokens: thoughts }),
      },
    }),
    ...(rest !== undefined && { rest }),
  };
}

export function encodeUsage(
  usage: Usage | undefined,
  rest: JsonValue | undefined,
): JsonObject | undefined {
  const others = isJsonObject(rest) ? rest : undefined;
  if (usage === undefined) return others;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    ...others,
    promptTokenCount: inputTokens - toolTokens(others ?? {}),
    candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
    totalTokenCount: inputTokens + outputTokens,
    ...(cachedInputTokens !== undefined && { cachedContentTokenCount: cachedInputTokens }),
    ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
  };
}

function toolTokens(usage: JsonObject): number {
  return asNumber(usage.toolUsePromptTokenCount) ?? 0;
}
