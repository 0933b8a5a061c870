import { isJsonObject, type JsonObject, type TextPart } from '@forge/core';
import { defined } from '../shared/json-fields.ts';
import type { WireRequest } from '../wire.ts';
import { buildTurns } from './build-turns.ts';
import { encodeText } from './encode-content.ts';
import { encodeReasoning, objectField } from './reasoning.ts';
import { encodeToolChoice } from './tool-choice.ts';
import { encodeTools } from './tools.ts';

/**
 * The `max_tokens` of a request that does not say: this API wants one. Every current model takes
 * it, and a long file fits. A thinking budget comes on top, because it counts as output too.
 */
export const defaultMaxTokens = 16_384;

/**
 * A body of `POST /v1/messages`. What this API has no word for is not sent, since it refuses
 * fields it does not know: `minP`, the penalties, `seed`, and JSON without a schema.
 */
export function encodeRequest(request: WireRequest): JsonObject {
  const { server_tools, thinking: _, output_config: __, ...extra } = request.extra;
  const { system, messages } = buildTurns(request.messages);
  const tools = encodeTools(request.tools, server_tools);
  const { thinking, outputConfig } = encodeThinking(request);
  const { temperature, topP, topK, stop, maxTokens } = request.settings;
  return defined({
    ...extra,
    model: request.model,
    max_tokens: maxTokens ?? defaultMaxTokens + (request.reasoning?.budgetTokens ?? 0),
    system: encodeSystem(system),
    messages,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? (encodeToolChoice(request) ?? extra.tool_choice) : undefined,
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: stop !== undefined && stop.length > 0 ? stop : undefined,
    thinking,
    output_config: outputConfig,
    stream: request.stream ? true : undefined,
  });
}

/** One plain text goes as a string, which every server that speaks this wire understands. */
function encodeSystem(parts: readonly TextPart[]) {
  const [first] = parts;
  if (first === undefined) return undefined;
  if (parts.length === 1 && first.provider === undefined) return first.text;
  return parts.map(encodeText);
}

function encodeThinking({ reasoning, responseFormat, extra }: WireRequest) {
  const { thinking, outputConfig } = encodeReasoning(reasoning, {
    thinking: objectField(extra.thinking),
    outputConfig: objectField(extra.output_config),
  });
  const schema = responseFormat?.type === 'json_schema' ? responseFormat.schema : undefined;
  if (!isJsonObject(schema)) return { thinking, outputConfig };
  return { thinking, outputConfig: { ...outputConfig, format: { type: 'json_schema', schema } } };
}
