import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { ForgeError, messageOf } from '../errors.ts';
import type { JsonSchema } from './json-schema.ts';
import { isSchema } from './keyword-reader.ts';

/** Whether something is a schema of Zod, Valibot, ArkType or any library of that standard. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return typeof standardOf(value)?.validate === 'function';
}

/**
 * The JSON Schema of what a schema takes as input. A JSON Schema is given back as it is; a schema
 * of a library that can describe itself is asked. Throws `invalid_tool` for one that cannot.
 */
export function toJsonSchema(
  input: StandardSchemaV1 | StandardJSONSchemaV1 | JsonSchema,
): JsonSchema {
  const standard = standardOf(input);
  if (standard === undefined) {
    if (isSchema(input)) return input;
    throw new ForgeError('invalid_tool', 'A schema must be a JSON Schema or a Standard Schema.');
  }
  const vendor = typeof standard.vendor === 'string' ? standard.vendor : 'unknown';
  const describe = methodOf(standard.jsonSchema, 'input');
  if (describe === undefined) throw cannotDescribe(vendor, 'it has no JSON Schema converter');
  const problems: unknown[] = [];
  for (const target of ['draft-2020-12', 'draft-07']) {
    try {
      const schema = describe({ target });
      if (isSchema(schema)) return withoutDialect(schema);
      problems.push(new Error('its converter gave no schema'));
    } catch (error) {
      problems.push(error);
    }
  }
  throw cannotDescribe(vendor, messageOf(problems[0]), problems[0]);
}

/** A converter names the dialect it wrote. A model would read that with every tool, for nothing. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function cannotDescribe(vendor: string, reason: string, cause?: unknown): ForgeError {
  return new ForgeError(
    'invalid_tool',
    `The ${vendor} schema cannot be turned into JSON Schema: ${reason}. Give the JSON Schema of the same arguments in its place (for example z.toJSONSchema(schema) with Zod, toJsonSchema(schema) of @valibot/to-json-schema with Valibot).`,
    { cause },
  );
}

function standardOf(value: unknown): { readonly [key: string]: unknown } | undefined {
  if (typeof value !== 'object' && typeof value !== 'function') return undefined;
  if (value === null || !('~standard' in value)) return undefined;
  const standard = value['~standard'];
  return isRecord(standard) ? standard : undefined;
}

function methodOf(value: unknown, name: string): ((options: unknown) => unknown) | undefined {
  const method = isRecord(value) ? value[name] : undefined;
  return typeof method === 'function' ? (options) => method.call(value, options) : undefined;
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
