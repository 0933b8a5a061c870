import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { isEmpty, objectOf } from '../shared/json-fields.ts';
import type { ResponseFormat } from '../wire.ts';
import { encodeSchema } from './tools.ts';

const schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);

const schemaFormat = z.looseObject({
  type: z.literal('json_schema'),
  json_schema: z.looseObject({
    name: z.string().nullish(),
    schema,
    strict: z.boolean().nullish(),
  }),
});

/** llama.cpp and Together put the schema beside the type. */
const besideFormat = z.looseObject({ type: z.enum(['json_object', 'json_schema']), schema });

/** OpenAI wants a name. */
const defaultName = 'response';

/**
 * `rest` is what has no word here: all of an unknown format, or the fields around a known one. It
 * is kept in the request's `extra.response_format`.
 */
export function decodeResponseFormat(format: JsonValue): {
  readonly format?: ResponseFormat;
  readonly rest?: JsonValue;
} {
  const named = schemaFormat.safeParse(format);
  if (named.success) {
    const { type, json_schema, ...outer } = named.data;
    const { name, schema, strict, ...inner } = json_schema;
    const rest = isEmpty(objectOf(inner)) ? outer : { ...outer, json_schema: inner };
    return {
      format: {
        type,
        ...(typeof name === 'string' ? { name } : {}),
        schema,
        ...(typeof strict === 'boolean' ? { strict } : {}),
      },
      ...(isEmpty(objectOf(rest)) ? {} : { rest: objectOf(rest) }),
    };
  }
  const beside = besideFormat.safeParse(format);
  if (beside.success) return { format: { type: 'json_schema', schema: beside.data.schema } };
  if (isJsonObject(format) && format.type === 'text') return {};
  if (isJsonObject(format) && format.type === 'json_object') return { format: { type: 'json' } };
  return { rest: format };
}

export function encodeResponseFormat(
  format: ResponseFormat,
  rest: JsonValue | undefined,
): JsonObject {
  const { json_schema, ...outer } = objectOf(rest);
  switch (format.type) {
    case 'json':
      return { ...outer, type: 'json_object' };
    case 'json_schema':
      return {
        ...outer,
        type: 'json_schema',
        json_schema: {
          ...objectOf(json_schema),
          name: format.name ?? defaultName,
          schema: encodeSchema(format.schema),
          ...(format.strict === undefined ? {} : { strict: format.strict }),
        },
      };
    default:
      return format satisfies never;
  }
}
