import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { defined } from '../shared/json-fields.ts';
import type { ResponseFormat, Settings, WireRequest } from '../wire.ts';
import { decodeMessages } from './decode-messages.ts';
import {
  fail,
  inRequest,
  inside,
  optionalJson,
  optionalNumber,
  optionalString,
  readList,
  readObject,
  without,
} from './read-object.ts';
import { decodeReasoning, objectField } from './reasoning.ts';
import { decodeToolChoice } from './tool-choice.ts';
import { decodeTools } from './tools.ts';

const requestSchema = z.object({
  model: optionalString,
  messages: z.array(z.unknown(), 'expected a list of messages'),
  system: optionalJson,
  tools: optionalJson,
  tool_choice: optionalJson,
  thinking: optionalJson,
  output_config: optionalJson,
  max_tokens: optionalNumber,
  temperature: optionalNumber,
  top_p: optionalNumber,
  top_k: optionalNumber,
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
});

/**
 * A body of `POST /v1/messages`. `max_tokens` may be missing here, as it does in a request to
 * count tokens. What has no word of its own rides in `extra` under its name; tools the provider
 * runs itself under `server_tools`.
 */
export function decodeRequest(
  body: unknown,
  hints: { readonly model?: string; readonly stream?: boolean } = {},
): WireRequest {
  const { fields, rest } = readObject(requestSchema, body, inRequest);
  const model = fields.model ?? hints.model;
  if (model === undefined) fail(inside(inRequest, 'model'), 'expected the name of a model');
  const { tools, serverTools } = decodeTools(
    readList(fields.tools, inside(inRequest, 'tools')),
    inside(inRequest, 'tools'),
  );
  const choice = decodeToolChoice(fields.tool_choice, inRequest);
  const { thinking, outputConfig, responseFormat, reasoning } = decodeThinking(fields);
  return {
    model,
    messages: decodeMessages({ system: fields.system, messages: fields.messages }),
    tools,
    ...(choice ?? { toolChoice: 'auto' }),
    settings: decodeSettings(fields),
    ...(responseFormat && { responseFormat }),
    ...(reasoning && { reasoning }),
    stream: fields.stream ?? hints.stream ?? false,
    extra: defined({
      ...rest,
      server_tools: serverTools.length > 0 ? serverTools : undefined,
      tool_choice: choice === undefined ? (fields.tool_choice ?? undefined) : undefined,
      thinking,
      output_config: outputConfig,
    }),
  };
}

function decodeSettings(fields: z.output<typeof requestSchema>): Settings {
  const { max_tokens, temperature, top_p, top_k, stop_sequences } = fields;
  return {
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(typeof top_k === 'number' && { topK: top_k }),
    ...(stop_sequences && stop_sequences.length > 0 && { stop: stop_sequences }),
    ...(typeof max_tokens === 'number' && { maxTokens: max_tokens }),
  };
}

function decodeThinking(fields: { thinking?: JsonValue; output_config?: JsonValue }) {
  const config = objectField(fields.output_config) ?? {};
  const responseFormat = decodeFormat(config.format);
  const { reasoning, rest } = decodeReasoning({
    thinking: objectField(fields.thinking) ?? {},
    outputConfig: responseFormat === undefined ? config : without(config, { format: 0 }),
  });
  return {
    reasoning,
    responseFormat,
    thinking: unlessEmpty(rest.thinking),
    outputConfig: unlessEmpty(rest.outputConfig),
  };
}

function decodeFormat(format: JsonValue | undefined): ResponseFormat | undefined {
  if (!isJsonObject(format) || format.type !== 'json_schema') return undefined;
  return isJsonObject(format.schema) ? { type: 'json_schema', schema: format.schema } : undefined;
}

function unlessEmpty(fields: JsonObject | undefined): JsonObject | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;
}
