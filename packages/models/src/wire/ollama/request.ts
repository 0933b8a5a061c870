import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { readBody } from '../shared/read-body.ts';
import { jsonValue } from '../shared/schema-atoms.ts';
import type { ResponseFormat, WireRequest } from '../wire.ts';
import { decodeMessages } from './decode-messages.ts';
import { encodeMessages } from './encode-messages.ts';
import { decodeOptions, encodeOptions, optionsSchema } from './options.ts';
import { requestPlace } from './places.ts';
import { decodeThink, encodeThink } from './think.ts';
import { decodeTools, encodeTool } from './tools.ts';

const requestSchema = z
  .object({
    model: z.string().nullish(),
    messages: z.union([z.array(jsonValue), z.null()]).optional(),
    tools: jsonValue.nullish(),
    format: jsonValue.nullish(),
    options: optionsSchema.nullish(),
    think: jsonValue.nullish(),
    stream: z.boolean().nullish(),
  })
  .catchall(jsonValue);

/** Ollama streams unless it is told not to. */
export function decodeOllamaRequest(
  body: unknown,
  hints: { readonly model?: string; readonly stream?: boolean } = {},
): WireRequest {
  const { model, messages, tools, format, options, think, stream, ...others } = readBody(
    requestSchema,
    body,
    requestPlace,
  );
  const decodedTools = decodeTools(tools ?? undefined);
  const { settings, rest } = decodeOptions(options ?? {});
  const responseFormat = decodeFormat(format ?? undefined);
  const reasoning = decodeThink(think ?? undefined);
  return {
    model: model ?? hints.model ?? '',
    messages: decodeMessages(messages ?? undefined),
    tools: decodedTools.tools,
    toolChoice: 'auto',
    settings,
    ...(responseFormat !== undefined && { responseFormat }),
    ...(reasoning !== undefined && { reasoning }),
    stream: stream ?? hints.stream ?? true,
    extra: {
      ...others,
      ...(decodedTools.others.length > 0 && { tools: decodedTools.others }),
      ...(rest !== undefined && { options: rest }),
    },
  };
}

/**
 * How to choose among tools cannot be said on this wire. `none` is kept by sending no tools;
 * `required` and a named tool are sent as if they were `auto`, and it is for the caller to check
 * the reply. Nor can parallel calls be forbidden, or a response schema be named.
 */
export function encodeOllamaRequest(request: WireRequest): JsonObject {
  const { tools: otherTools, options: otherOptions, ...others } = request.extra;
  const tools =
    request.toolChoice === 'none'
      ? []
      : [...request.tools.map(encodeTool), ...(Array.isArray(otherTools) ? otherTools : [])];
  const options = encodeOptions(request.settings, otherOptions);
  const think = encodeThink(request.reasoning);
  const format = encodeFormat(request.responseFormat);
  return {
    ...others,
    model: request.model,
    messages: encodeMessages(request.messages),
    stream: request.stream,
    ...(tools.length > 0 && { tools }),
    ...(format !== undefined && { format }),
    ...(options !== undefined && { options }),
    ...(think !== undefined && { think }),
  };
}

function decodeFormat(format: JsonValue | undefined): ResponseFormat | undefined {
  if (format === 'json') return { type: 'json' };
  return isJsonObject(format) ? { type: 'json_schema', schema: format } : undefined;
}

function encodeFormat(format: ResponseFormat | undefined): JsonValue | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'json') return 'json';
  return isJsonObject(format.schema) ? format.schema : {};
}
