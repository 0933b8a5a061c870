import { isJsonObject, type JsonObject } from '@forge/core';
import type * as z from 'zod';
import { without } from '../shared/json-fields.ts';
import { type BodyKind, badBody, readBody } from '../shared/read-body.ts';

const api = 'Responses API';

/** What decoding needs beside the body: whose fault a bad one is, and ids for what has none. */
export interface DecodeContext {
  readonly kind: BodyKind;
  readonly newId: () => string;
}

/** Absent and `null` are the same on this wire. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/**
 * The fields of `body` that `schema` names, checked, and all others as they came.
 * Throws `ModelError` with the path of the first fault.
 */
export function readKnown<Shape extends z.ZodRawShape>(options: {
  readonly schema: z.ZodObject<Shape>;
  readonly body: unknown;
  readonly at: string;
  readonly kind: DecodeContext['kind'];
}): { known: z.output<z.ZodObject<Shape>>; rest: JsonObject } {
  const { schema, body, at, kind } = options;
  const place = { kind, api, at };
  if (!isJsonObject(body)) throw badBody(place, 'expected an object');
  return { known: readBody(schema, body, place), rest: without(body, Object.keys(schema.shape)) };
}
