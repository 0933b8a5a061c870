import { isJsonObject, type JsonObject } from '@forge/core';
import * as z from 'zod';
import { type BodyKind, badBody, readBody } from '../shared/read-body.ts';
import { jsonValue, numeric } from '../shared/schema-atoms.ts';

const api = 'Messages API';

/** Where in a body we are, and what to call it when it is wrong. */
export interface Place {
  readonly kind: BodyKind;
  readonly path: string;
}

export const inRequest: Place = { kind: 'bad_request', path: '' };
export const inReply: Place = { kind: 'bad_response', path: '' };

export function inside({ kind, path }: Place, key: string | number): Place {
  return { kind, path: path === '' ? String(key) : `${path}.${key}` };
}

/** `null` says the same as leaving a field out. */
export const optionalJson = jsonValue.nullish();
export const optionalString = z.string().nullish();
export const optionalNumber = numeric.nullish();

/**
 * The fields a schema names, checked, and the others as they came. Fields that are `null` are not
 * among the others: on this wire that is how a field says it is not set.
 */
export function readObject<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  value: unknown,
  place: Place,
): { fields: z.output<z.ZodObject<Shape>>; rest: JsonObject } {
  if (!isJsonObject(value)) return fail(place, `expected an object, got ${nameOf(value)}`);
  const fields = readBody(schema, value, { kind: place.kind, api, at: place.path });
  return { fields, rest: without(value, schema.shape) };
}

/** The fields of an object that are set and not named in `known`. */
export function without(value: JsonObject, known: object): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([key, field]) => field !== null && !Object.hasOwn(known, key)),
  );
}

/** A list, or nothing where there is `null` or no field. */
export function readList(value: unknown, place: Place): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : fail(place, `expected a list, got ${nameOf(value)}`);
}

export function fail({ kind, path }: Place, problem: string): never {
  throw badBody({ kind, api, at: path }, problem);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
