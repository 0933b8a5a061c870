import { isJsonObject, type JsonObject, type JsonValue, type Usage } from '@forge/core';
import { sameJson } from '../shared/same-json.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { usageBody } from './schemas.ts';

/** Input tokens include cached ones on this wire, output tokens those of reasoning. */
export function decodeUsage(body: JsonObject, kind: DecodeContext['kind']): Usage {
  const { known } = readKnown({ schema: usageBody, body, at: 'usage', kind });
  const cached = known.input_tokens_details?.cached_tokens;
  const reasoning = known.output_tokens_details?.reasoning_tokens;
  return {
    inputTokens: known.input_tokens ?? 0,
    outputTokens: known.output_tokens ?? 0,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

/** `rodeAlong`: the usage this one was read from, for counts that `Usage` has no word for. */
export function encodeUsage(usage: Usage, rodeAlong: JsonObject = {}): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    ...rodeAlong,
    input_tokens: inputTokens,
    input_tokens_details: {
      ...detailsOf(rodeAlong.input_tokens_details),
      cached_tokens: cachedInputTokens ?? 0,
    },
    output_tokens: outputTokens,
    output_tokens_details: {
      ...detailsOf(rodeAlong.output_tokens_details),
      reasoning_tokens: reasoningTokens ?? 0,
    },
    total_tokens: inputTokens + outputTokens,
  };
}

/** Whether the wire said more about usage than `Usage` can hold. */
export function saysMore(body: JsonObject, usage: Usage): boolean {
  return !sameJson(body, encodeUsage(usage));
}

function detailsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
