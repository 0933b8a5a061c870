import type { JsonObject, Usage } from '@forge/core';
import * as z from 'zod';
import { defined, isEmpty, objectOf, withoutNulls } from '../shared/json-fields.ts';
import { numeric } from '../shared/schema-atoms.ts';

const count = numeric.nullish().catch(undefined);

const usageShape = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(undefined),
  completion_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish().catch(undefined),
  /** DeepSeek's word for cached tokens. */
  prompt_cache_hit_tokens: count,
  /** OpenRouter's price of the call, in dollars. */
  cost: count,
});

export interface DecodedUsage {
  readonly usage?: Usage;
  readonly cost?: number;
  /** Counts this codec has no word for. */
  readonly rest?: JsonObject;
}

/** Usage as any server of this wire tells it. Odd usage is no reason to lose a reply: it is skipped. */
export function decodeUsage(value: unknown): DecodedUsage {
  const read = usageShape.safeParse(value);
  if (!read.success) return {};
  const { prompt_tokens, completion_tokens, total_tokens: _, ...more } = read.data;
  const { prompt_tokens_details, completion_tokens_details, cost, ...rest } = more;
  const { cached_tokens, ...promptRest } = prompt_tokens_details ?? {};
  const { reasoning_tokens, ...completionRest } = completion_tokens_details ?? {};
  const { prompt_cache_hit_tokens } = rest;
  const cached = cached_tokens ?? prompt_cache_hit_tokens;
  const kept = defined({
    ...withoutNulls(objectOf(rest)),
    prompt_tokens_details: isEmpty(objectOf(promptRest)) ? undefined : objectOf(promptRest),
    completion_tokens_details: isEmpty(objectOf(completionRest))
      ? undefined
      : objectOf(completionRest),
  });
  const isCounted = prompt_tokens != null || completion_tokens != null;
  return {
    ...(isCounted
      ? {
          usage: {
            inputTokens: prompt_tokens ?? 0,
            outputTokens: completion_tokens ?? 0,
            ...(cached == null ? {} : { cachedInputTokens: cached }),
            ...(reasoning_tokens == null ? {} : { reasoningTokens: reasoning_tokens }),
          },
        }
      : {}),
    ...(cost == null ? {} : { cost }),
    ...(isEmpty(kept) ? {} : { rest: kept }),
  };
}

export function encodeUsage(usage: Usage, cost: number | undefined, rest: unknown): JsonObject {
  const { prompt_tokens_details, completion_tokens_details, ...more } = objectOf(rest);
  const prompt = {
    ...objectOf(prompt_tokens_details),
    ...defined({ cached_tokens: usage.cachedInputTokens }),
  };
  const completion = {
    ...objectOf(completion_tokens_details),
    ...defined({ reasoning_tokens: usage.reasoningTokens }),
  };
  return {
    ...more,
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(isEmpty(prompt) ? {} : { prompt_tokens_details: prompt }),
    ...(isEmpty(completion) ? {} : { completion_tokens_details: completion }),
    ...(cost === undefined ? {} : { cost }),
  };
}
