import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { isEmpty } from '../shared/json-fields.ts';
import { badBody, readBody } from '../shared/read-body.ts';
import { jsonValue } from '../shared/schema-atoms.ts';
import type { WireRequest } from '../wire.ts';
import { camelKeys } from './camel-keys.ts';
import { decodeContents, decodeSystemInstruction } from './decode-contents.ts';
import { encodeContents } from './encode-contents.ts';
import {
  decodeGenerationConfig,
  encodeGenerationConfig,
  generationConfigSchema,
} from './generation-config.ts';
import { requestPlace } from './places.ts';
import { decodeToolConfig, encodeToolConfig } from './tool-config.ts';
import { decodeTools, encodeTools, type SchemaForm } from './tools.ts';

const requestSchema = z
  .object({
    model: z.string().nullish(),
    systemInstruction: jsonValue.nullish(),
    contents: jsonValue.nullish(),
    tools: jsonValue.nullish(),
    toolConfig: jsonValue.nullish(),
    generationConfig: generationConfigSchema.nullish(),
  })
  .catchall(jsonValue);

/** Model and streaming are in the path on this wire: both come as hints. */
export function decodeGeminiRequest(
  body: unknown,
  hints: { readonly model?: string; readonly stream?: boolean } = {},
): WireRequest {
  if (!isJsonObject(body)) throw badBody(requestPlace, 'it is no JSON object');
  const { model, systemInstruction, contents, tools, toolConfig, generationConfig, ...others } =
    readBody(requestSchema, camelRequest(body), requestPlace);
  const system = decodeSystemInstruction(systemInstruction);
  const decodedTools = decodeTools(tools ?? undefined);
  const choice = decodeToolConfig(toolConfig ?? undefined);
  const { rest, ...generation } = decodeGenerationConfig(generationConfig ?? {});
  return {
    model: hints.model ?? model ?? '',
    messages: [...(system === undefined ? [] : [system]), ...decodeContents(contents ?? undefined)],
    tools: decodedTools.tools,
    toolChoice: choice.toolChoice,
    ...generation,
    stream: hints.stream ?? false,
    extra: {
      ...others,
      ...(decodedTools.others.length > 0 && { tools: decodedTools.others }),
      ...(choice.rest !== undefined && { toolConfig: choice.rest }),
      ...(rest !== undefined && { generationConfig: rest }),
    },
  };
}

/** `parallelToolCalls` cannot be said on this wire. */
export function encodeGeminiRequest(request: WireRequest, form: SchemaForm): JsonObject {
  const { extra, model, messages } = request;
  const { tools: otherTools, toolConfig: restConfig, generationConfig, ...others } = extra;
  const tools = encodeTools(request.tools, { others: otherTools, form });
  const hasTools = request.tools.length > 0;
  const toolConfig = encodeToolConfig(request.toolChoice, { rest: restConfig, hasTools });
  const config = encodeGenerationConfig(request, { rest: generationConfig, form });
  const encoded: Record<string, JsonValue> = { ...others, ...encodeContents(messages, model) };
  if (tools.length > 0) encoded.tools = tools;
  if (toolConfig !== undefined) encoded.toolConfig = toolConfig;
  if (config !== undefined && !isEmpty(config)) encoded.generationConfig = config;
  return encoded;
}

function camelRequest(body: JsonObject): JsonObject {
  const renamed = camelKeys(body);
  const { generationConfig } = renamed;
  if (!isJsonObject(generationConfig)) return renamed;
  const { _responseJsonSchema, ...config } = camelKeys(generationConfig);
  const older: JsonObject =
    _responseJsonSchema === undefined ? {} : { responseJsonSchema: _responseJsonSchema };
  return { ...renamed, generationConfig: { ...older, ...config } };
}
