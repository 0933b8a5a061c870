import { isJsonObject, type JsonSchema } from '@forge/core';

/** A schema and the document its references are about. */
export interface Typed {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

/** A schema that is an object. One that says nothing (`true`, or only a reference too far) is `{}`. */
export type Plain = { readonly [keyword: string]: unknown };

export const typed = (schema: JsonSchema): Typed => ({ schema, root: schema });

export const listOf = ({ schema, root }: Typed): Typed => ({
  schema: { type: 'array', items: schema },
  root,
});

const deepest = 12;
const mostAlternatives = 64;

/**
 * The plain schemas a value may have, one of them at least: references followed, `anyOf`, `oneOf`
 * and lists of types taken apart, `allOf` put together. What is too deep counts as unknown.
 */
export function alternatives({ schema, root }: Typed, depth = 0): readonly Plain[] {
  if (!isPlain(schema)) return schema === false ? [] : [{}];
  if (depth > deepest) return [{}];
  const inner = (part: unknown): readonly Plain[] =>
    isSchema(part) ? alternatives({ schema: part, root }, depth + 1) : [{}];
  const { $ref, anyOf, oneOf, allOf, ...own } = schema;
  let found: readonly Plain[] = [own];
  const also = (more: readonly Plain[]) => {
    found = found.flatMap((one) => more.map((other) => merge(one, other)));
    if (found.length > mostAlternatives) found = [{}];
  };
  if (typeof $ref === 'string') also(inner(follow($ref, root)));
  for (const part of Array.isArray(allOf) ? allOf : []) also(inner(part));
  for (const union of [anyOf, oneOf]) if (Array.isArray(union)) also(union.flatMap(inner));
  return found.flatMap(byType);
}

function byType(schema: Plain): readonly Plain[] {
  const { type, nullable } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const all = nullable === true && type !== undefined ? [...types, 'null'] : types;
  if (all.length === 1 && !Array.isArray(type)) return [schema];
  return all.map((one) => ({
    ...schema,
    type: one,
    ...(Array.isArray(schema.enum) && { enum: schema.enum.filter((value) => isOf(value, one)) }),
  }));
}

function isOf(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (typeof value !== 'number') return typeof value === type;
  return type === 'number' || (type === 'integer' && Number.isInteger(value));
}

/** Both hold: what each says of properties is put together, of the rest the second counts. */
function merge(one: Plain, other: Plain): Plain {
  const both = { ...one, ...other };
  if (isPlain(one.properties) && isPlain(other.properties)) {
    both.properties = { ...one.properties, ...other.properties };
  }
  if (Array.isArray(one.required) && Array.isArray(other.required)) {
    both.required = [...one.required, ...other.required];
  }
  return both;
}

/** The schema a reference within the document means; undefined if there is none. */
function follow(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Plain)[name];
  }
  return at;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isPlain(value);
}

export function isPlain(value: unknown): value is Plain {
  return isJsonObject(value);
}

/** The type a plain schema names or shows by its keywords; undefined if it may be anything. */
export function typeOf(schema: Plain): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  if (isPlain(schema.properties) || Array.isArray(schema.required)) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  return undefined;
}

/** The values a schema allows, if it lists them. */
export function literalsOf(schema: Plain): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

export function propertiesOf(schema: Plain): Plain {
  return isPlain(schema.properties) ? schema.properties : {};
}

export function requiredOf(schema: Plain): readonly string[] {
  return Array.isArray(schema.required)
    ? schema.required.filter((name) => typeof name === 'string')
    : [];
}
