import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';

/** Any value that came out of JSON: bodies come from `JSON.parse`. */
export const jsonValue = z.custom<JsonValue>((value) => value !== undefined, 'expected a value');

/** A JSON object as it came. */
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'expected an object');

/** A number, or text that is one: servers and clients write both. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^\s*[-+]?\d+(\.\d+)?([eE][-+]?\d+)?\s*$/, 'expected a number')
    .transform(Number),
]);

/** An id, or a number that is one. */
export const label = z.union([z.string(), z.number().transform(String)]);

/** One text, or a list of them. */
export const texts = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
