import { isJsonObject, type JsonObject } from '@forge/core';
import { isEmpty, without } from '../shared/json-fields.ts';
import type { ResponseFormat } from '../wire.ts';
import { schemaObject } from './tools.ts';

/** The API wants a name for every schema. */
const namelessSchema = 'response';

/** `text` of a request → the format, and what of it has no word here (verbosity, descriptions). */
export function decodeTextConfig(text: JsonObject): {
  format: ResponseFormat | undefined;
  rest: JsonObject;
} {
  const { format: raw, ...others } = text;
  if (!isJsonObject(raw)) return { format: undefined, rest: others };
  const { format, kept } = decodeFormat(raw);
  return { format, rest: isEmpty(kept) ? others : { ...others, format: kept } };
}

export function encodeTextConfig(
  format: ResponseFormat | undefined,
  rest: JsonObject,
): JsonObject | undefined {
  const kept = isJsonObject(rest.format) ? rest.format : {};
  const merged = { ...kept, ...encodeFormat(format) };
  const text = { ...without(rest, ['format']), ...(isEmpty(merged) ? {} : { format: merged }) };
  return isEmpty(text) ? undefined : text;
}

function decodeFormat(raw: JsonObject): { format: ResponseFormat | undefined; kept: JsonObject } {
  switch (raw.type) {
    case 'text':
      return { format: undefined, kept: without(raw, ['type']) };
    case 'json_object':
      return { format: { type: 'json' }, kept: without(raw, ['type']) };
    case 'json_schema': {
      const { name, schema, strict } = raw;
      if (!isJsonObject(schema)) return { format: undefined, kept: raw };
      return {
        format: {
          type: 'json_schema',
          ...(typeof name === 'string' && { name }),
          schema,
          ...(typeof strict === 'boolean' && { strict }),
        },
        kept: without(raw, ['type', 'name', 'schema', 'strict']),
      };
    }
    default:
      return { format: undefined, kept: raw };
  }
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject {
  switch (format?.type) {
    case undefined:
      return {};
    case 'json':
      return { type: 'json_object' };
    case 'json_schema': {
      const { name = namelessSchema, schema, strict } = format;
      const strictness: JsonObject = strict === undefined ? {} : { strict };
      return { type: 'json_schema', name, schema: schemaObject(schema), ...strictness };
    }
    default:
      return format satisfies never;
  }
}
