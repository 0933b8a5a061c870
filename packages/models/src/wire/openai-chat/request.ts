import { isJsonObject, type JsonObject } from '@forge/core';
import * as z from 'zod';
import { defined, isEmpty, objectOf } from '../shared/json-fields.ts';
import { readBody } from '../shared/read-body.ts';
import { jsonValue, numeric } from '../shared/schema-atoms.ts';
import type { ReasoningSettings, WireRequest } from '../wire.ts';
import { decodeMessages, messageShape } from './decode-messages.ts';
import type { ChatDialect } from './dialect.ts';
import { encodeMessages } from './encode-messages.ts';
import { decodeResponseFormat, encodeResponseFormat } from './response-format.ts';
import { decodeSettings, encodeSettings, settingsShape } from './settings.ts';
import { requestPlace } from './shapes.ts';
import {
  decodeFunction,
  decodeToolChoice,
  decodeTools,
  encodeTool,
  encodeToolChoice,
  legacyFunctionShape,
  toolShape,
} from './tools.ts';

const requestShape = settingsShape.extend({
  model: z.string().nullish(),
  messages: z.array(messageShape),
  tools: z.array(toolShape).nullish(),
  tool_choice: jsonValue.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: z.array(legacyFunctionShape).nullish(),
  function_call: jsonValue.nullish(),
  response_format: jsonValue.nullish(),
  reasoning_effort: z.string().nullish(),
  reasoning: z
    .looseObject({ effort: z.string().nullish(), max_tokens: numeric.nullish() })
    .nullish(),
  stream: z.boolean().nullish(),
});

type WireBody = z.infer<typeof requestShape>;

export function decodeRequest(
  body: unknown,
  hints: { readonly model?: string; readonly stream?: boolean } = {},
): WireRequest {
  const read = readBody(requestShape, body, requestPlace);
  const { tools, others } = decodeTools(read.tools ?? []);
  const legacy = (read.functions ?? []).map((definition) => decodeFunction(definition));
  const choice = read.tool_choice ?? read.function_call ?? 'auto';
  const toolChoice = decodeToolChoice(choice);
  const { format, rest: formatRest } = decodeResponseFormat(
    read.response_format ?? { type: 'text' },
  );
  const reasoning = decodeReasoning(read);
  return {
    model: read.model || (hints.model ?? ''),
    messages: decodeMessages(read.messages),
    tools: [...tools, ...legacy],
    toolChoice: toolChoice ?? 'auto',
    ...(typeof read.parallel_tool_calls === 'boolean'
      ? { parallelToolCalls: read.parallel_tool_calls }
      : {}),
    settings: decodeSettings(read),
    ...(format === undefined ? {} : { responseFormat: format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    stream: read.stream ?? hints.stream ?? false,
    extra: {
      ...unknownFields(read),
      ...(others.length > 0 ? { tools: others } : {}),
      ...(toolChoice === undefined ? { tool_choice: choice } : {}),
      ...(formatRest === undefined ? {} : { response_format: formatRest }),
      ...reasoningRest(read),
    },
  };
}

const known: ReadonlySet<string> = new Set(Object.keys(requestShape.shape));

function unknownFields(body: WireBody): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(body)).filter(([key]) => !known.has(key)));
}

function decodeReasoning(body: WireBody): ReasoningSettings | undefined {
  const effort = body.reasoning_effort ?? body.reasoning?.effort;
  const budget = body.reasoning?.max_tokens;
  if (!effort && typeof budget !== 'number') return undefined;
  return {
    ...(effort ? { effort } : {}),
    ...(typeof budget === 'number' ? { budgetTokens: budget } : {}),
  };
}

function reasoningRest(body: WireBody): JsonObject {
  const { effort: _, max_tokens: __, ...rest } = body.reasoning ?? {};
  return isEmpty(objectOf(rest)) ? {} : { reasoning: objectOf(rest) };
}

export function encodeRequest(request: WireRequest, dialect: ChatDialect): JsonObject {
  const { model, responseFormat, stream, extra } = request;
  return {
    ...extra,
    ...(model === '' ? {} : { model }),
    messages: encodeMessages(request.messages, dialect),
    ...encodeToolFields(request, dialect),
    ...encodeSettings(request.settings, dialect),
    ...(responseFormat === undefined
      ? {}
      : { response_format: encodeResponseFormat(responseFormat, extra.response_format) }),
    ...encodeReasoning(request.reasoning, extra, dialect),
    ...(stream ? { stream: true } : {}),
    ...(stream && dialect.asksStreamUsage && extra.stream_options === undefined
      ? { stream_options: { include_usage: true } }
      : {}),
  };
}

/** OpenAI refuses a tool choice where there is no tool. */
function encodeToolFields(request: WireRequest, dialect: ChatDialect): JsonObject {
  const { tools, toolChoice, parallelToolCalls, extra } = request;
  const others = Array.isArray(extra.tools) ? extra.tools : [];
  if (tools.length + others.length === 0) return {};
  return {
    tools: [...tools.map((tool) => encodeTool(tool, dialect)), ...others],
    ...(toolChoice === 'auto' ? {} : { tool_choice: encodeToolChoice(toolChoice) }),
    ...defined({ parallel_tool_calls: parallelToolCalls }),
  };
}

function encodeReasoning(
  reasoning: ReasoningSettings | undefined,
  extra: JsonObject,
  dialect: ChatDialect,
): JsonObject {
  const { effort, budgetTokens } = reasoning ?? {};
  switch (dialect.reasoningSettings) {
    case 'reasoning_effort':
      return defined({ reasoning_effort: effort });
    case 'reasoning': {
      const own = defined({ effort, max_tokens: budgetTokens });
      if (isEmpty(own)) return {};
      return { reasoning: { ...(isJsonObject(extra.reasoning) ? extra.reasoning : {}), ...own } };
    }
    default:
      return dialect.reasoningSettings satisfies never;
  }
}
