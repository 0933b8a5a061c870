import type { FinishReason, JsonObject, Usage } from '@forge/core';
import { asNumber, otherFields } from '../shared/lenient.ts';

const known = new Set([
  'model',
  'message',
  'done',
  'done_reason',
  'prompt_eval_count',
  'eval_count',
]);

const meanings: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
};

/** Times, dates and whatever else a response holds beside its message. */
export function otherResponseFields(body: JsonObject): JsonObject | undefined {
  return otherFields(body, known);
}

/** Ollama leaves a count out where it is 0, as for a prompt it had in its cache. */
export function decodeUsage(body: JsonObject): Usage | undefined {
  const input = asNumber(body.prompt_eval_count);
  const output = asNumber(body.eval_count);
  if (input === undefined && output === undefined) return undefined;
  return { inputTokens: input ?? 0, outputTokens: output ?? 0 };
}

export function encodeUsage(usage: Usage | undefined): JsonObject {
  if (usage === undefined) return {};
  return { prompt_eval_count: usage.inputTokens, eval_count: usage.outputTokens };
}

/** `load` and `unload` answer a request without messages. Older servers give no reason at all. */
export function decodeFinish(
  reason: string | undefined,
  hasCalls: boolean,
): { finish: FinishReason; raw: JsonObject } {
  const finish = reason === undefined || reason === '' ? 'stop' : (meanings[reason] ?? 'other');
  const known = finish === 'stop' && hasCalls ? 'tool_calls' : finish;
  return {
    finish: known,
    raw: finish === 'other' && reason !== 'other' ? { done_reason: reason ?? '' } : {},
  };
}

export function encodeFinish(finish: FinishReason, raw: unknown): string {
  if (typeof raw === 'string') return raw;
  return finish === 'tool_calls' ? 'stop' : finish;
}
