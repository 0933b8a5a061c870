import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { isEmpty } from '../shared/json-fields.ts';
import { jsonValue, numeric, texts } from '../shared/schema-atoms.ts';
import type { ReasoningSettings, ResponseFormat, Settings, WireRequest } from '../wire.ts';
import { fromGeminiSchema } from './from-gemini-schema.ts';
import { decodeThinking, encodeThinking } from './thinking.ts';
import { toGeminiSchema } from './to-gemini-schema.ts';
import type { SchemaForm } from './tools.ts';

export const generationConfigSchema = z
  .object({
    temperature: numeric.nullish(),
    topP: numeric.nullish(),
    topK: numeric.nullish(),
    maxOutputTokens: numeric.nullish(),
    seed: numeric.nullish(),
    presencePenalty: numeric.nullish(),
    frequencyPenalty: numeric.nullish(),
    stopSequences: texts.nullish(),
    responseMimeType: z.string().nullish(),
    responseJsonSchema: jsonValue.nullish(),
    responseSchema: jsonValue.nullish(),
    thinkingConfig: jsonValue.nullish(),
  })
  .catchall(jsonValue);

const jsonType = 'application/json';

export function decodeGenerationConfig(config: z.output<typeof generationConfigSchema>): {
  settings: Settings;
  responseFormat?: ResponseFormat;
  reasoning?: ReasoningSettings;
  rest?: JsonObject;
} {
  const {
    temperature,
    topP,
    topK,
    maxOutputTokens,
    seed,
    presencePenalty,
    frequencyPenalty,
    stopSequences,
    responseMimeType,
    responseJsonSchema,
    responseSchema,
    thinkingConfig,
    ...others
  } = config;
  const responseFormat = formatOf({ responseMimeType, responseJsonSchema, responseSchema });
  const { reasoning, rest: thinking } = decodeThinking(thinkingConfig ?? undefined);
  const isOtherType = responseFormat === undefined && typeof responseMimeType === 'string';
  const rest = {
    ...others,
    ...(isOtherType && { responseMimeType }),
    ...(isOtherType && isJsonObject(responseSchema) && { responseSchema }),
    ...(thinking !== undefined && { thinkingConfig: thinking }),
  };
  return {
    settings: {
      ...(isNumber(temperature) && { temperature }),
      ...(isNumber(topP) && { topP }),
      ...(isNumber(topK) && { topK }),
      ...(isNumber(maxOutputTokens) && { maxTokens: maxOutputTokens }),
      ...(isNumber(seed) && { seed }),
      ...(isNumber(presencePenalty) && { presencePenalty }),
      ...(isNumber(frequencyPenalty) && { frequencyPenalty }),
      ...(stopSequences && stopSequences.length > 0 && { stop: stopSequences }),
    },
    ...(responseFormat !== undefined && { responseFormat }),
    ...(reasoning !== undefined && { reasoning }),
    ...(!isEmpty(rest) && { rest }),
  };
}

/** `minP` and `repeatPenalty` cannot be said on this wire, nor a response schema's name. */
export function encodeGenerationConfig(
  { settings, responseFormat, reasoning, model }: WireRequest,
  { rest, form }: { rest: JsonValue | undefined; form: SchemaForm },
): JsonObject | undefined {
  const { thinkingConfig, ...others } = isJsonObject(rest) ? rest : {};
  const thinking = encodeThinking(reasoning, { rest: thinkingConfig, model });
  const { temperature, topP, topK, maxTokens, seed, presencePenalty, frequencyPenalty, stop } =
    settings;
  const config = {
    ...others,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(stop !== undefined && stop.length > 0 && { stopSequences: stop }),
    ...encodeFormat(responseFormat, form),
    ...(thinking !== undefined && { thinkingConfig: thinking }),
  };
  return isEmpty(config) ? undefined : config;
}

function formatOf({
  responseMimeType,
  responseJsonSchema,
  responseSchema,
}: {
  responseMimeType: string | null | undefined;
  responseJsonSchema: JsonValue | undefined;
  responseSchema: JsonValue | undefined;
}): ResponseFormat | undefined {
  if (responseMimeType && responseMimeType !== jsonType) return undefined;
  if (isJsonObject(responseJsonSchema) || typeof responseJsonSchema === 'boolean') {
    return { type: 'json_schema', schema: responseJsonSchema };
  }
  if (isJsonObject(responseSchema)) {
    return { type: 'json_schema', schema: fromGeminiSchema(responseSchema) };
  }
  return responseMimeType === jsonType ? { type: 'json' } : undefined;
}

function encodeFormat(format: ResponseFormat | undefined, form: SchemaForm): JsonObject {
  if (format === undefined) return {};
  if (format.type === 'json') return { responseMimeType: jsonType };
  const { schema } = format;
  if (form === 'openapi') {
    return { responseMimeType: jsonType, responseSchema: toGeminiSchema(schema) };
  }
  const whole = isJsonObject(schema) ? schema : {};
  return { responseMimeType: jsonType, responseJsonSchema: whole };
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}
