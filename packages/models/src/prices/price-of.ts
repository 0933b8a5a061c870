import type { Usage } from '@forge/core';
import { calcPrice, type PriceCalculation } from '@pydantic/genai-prices';

export interface PricedCall {
  readonly model: string;
  /** As the price list names it: openai, anthropic, google, openrouter, deepseek, groq, together. */
  readonly provider: string | undefined;
  readonly usage: Usage;
  /** When the call was made: prices change, and some by the hour. */
  readonly at?: Date;
}

/** In US dollars. A price that is not known is not zero. */
export type Price = { readonly cost: number } | { readonly unpriced: true };

const unpriced: Price = { unpriced: true };

/**
 * What a call cost, by the price list bundled with `@pydantic/genai-prices`. Without a provider
 * there is no price: the same model name costs nothing on one's own machine.
 */
export function priceOf({ model, provider, usage, at }: PricedCall): Price {
  const found = look(model, provider, usageOf(usage), at);
  return found === undefined ? unpriced : { cost: found.total_price };
}

/** The context window of a provider's model by the same list, in tokens. */
export function listedContextWindow(
  model: string,
  provider: string | undefined,
): number | undefined {
  return look(model, provider, { input_tokens: 0, output_tokens: 0 })?.model.context_window;
}

function look(
  model: string,
  provider: string | undefined,
  usage: Record<string, number>,
  at?: Date,
): PriceCalculation | undefined {
  if (provider === undefined) return undefined;
  try {
    const options = { providerId: provider, ...(at !== undefined && { timestamp: at }) };
    return calcPrice(usage, model, options) ?? undefined;
  } catch {
    return undefined; // The list refuses counts that make no sense: then there is no price to tell.
  }
}

/**
 * The list wants totals and their parts: cached tokens are among the input, reasoning among the
 * output. Parts larger than their total are a server's slip and are cut to it.
 */
function usageOf(usage: Usage) {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cachedInputTokens !== undefined && {
      cache_read_tokens: Math.min(cachedInputTokens, inputTokens),
    }),
    ...(cacheWriteTokens !== undefined && {
      cache_write_tokens: Math.min(
        cacheWriteTokens,
        inputTokens - Math.min(cachedInputTokens ?? 0, inputTokens),
      ),
    }),
    ...(reasoningTokens !== undefined && {
      output_reasoning_tokens: Math.min(reasoningTokens, outputTokens),
    }),
  };
}
