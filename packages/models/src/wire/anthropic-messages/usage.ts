import { isJsonObject, type JsonObject, type JsonValue, type Usage } from '@forge/core';
import { defined } from '../shared/json-fields.ts';
import { without } from './read-object.ts';

/**
 * On this wire `input_tokens` are only those that touched no cache; ours are all of them. Whatever
 * else is known (lifetimes, service tier, the provider's own tools) stays in `rest`, and so does
 * what was written to the cache, whose lifetimes are told there.
 */
export function decodeUsage(value: JsonValue | undefined): {
  readonly usage?: Usage;
  readonly rest?: JsonObject;
} {
  if (!isJsonObject(value)) return {};
  const cached = tokens(value.cache_read_input_tokens);
  const written = tokens(value.cache_creation_input_tokens);
  const details = isJsonObject(value.output_tokens_details) ? value.output_tokens_details : {};
  const thought = tokens(details.thinking_tokens);
  const otherDetails = without(details, { thinking_tokens: 0 });
  const rest = defined({
    ...without(value, known),
    cache_creation_input_tokens: written ? written : undefined,
    output_tokens_details: Object.keys(otherDetails).length === 0 ? undefined : otherDetails,
  });
  return {
    usage: {
      inputTokens: (tokens(value.input_tokens) ?? 0) + (cached ?? 0) + (written ?? 0),
      outputTokens: tokens(value.output_tokens) ?? 0,
      ...(cached !== undefined && { cachedInputTokens: cached }),
      ...(written && { cacheWriteTokens: written }),
      ...(thought !== undefined && { reasoningTokens: thought }),
    },
    ...(Object.keys(rest).length > 0 && { rest }),
  };
}

/** Where there are no counts, those among the kept fields stand. */
export function encodeUsage(counts: Usage | undefined, kept: JsonValue | undefined): JsonObject {
  const rest = isJsonObject(kept) ? kept : {};
  const usage = counts ?? decodeUsage(rest).usage;
  const input = usage?.inputTokens ?? 0;
  const cached = Math.min(usage?.cachedInputTokens ?? 0, input);
  const told = usage?.cacheWriteTokens ?? tokens(rest.cache_creation_input_tokens) ?? 0;
  const written = Math.min(told, input - cached);
  const details = isJsonObject(rest.output_tokens_details) ? rest.output_tokens_details : {};
  const thought = usage?.reasoningTokens;
  return defined({
    ...rest,
    input_tokens: input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: usage?.outputTokens ?? 0,
    output_tokens_details:
      thought === undefined ? rest.output_tokens_details : { ...details, thinking_tokens: thought },
  });
}

const known = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens_details: 0,
};

/** Some servers send counts as text, some none at all. */
function tokens(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const count = Number(value);
  return Number.isFinite(count) && count >= 0 ? count : undefined;
}
