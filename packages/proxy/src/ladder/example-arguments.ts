import {
  compileSchema,
  exampleFromSchema,
  ForgeError,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from '@forge/core';
import type { MadeUpValues } from './made-up-values.ts';

/**
 * Right arguments for a tool, with made-up values in place of `text` and `1`, which mean that the
 * schema says nothing better: values that differ are told apart, and seen to come from the
 * request. Undefined for a schema we cannot read.
 */
export function exampleArguments(schema: JsonSchema, values: MadeUpValues): JsonObject | undefined {
  try {
    const { accepts } = compileSchema(schema);
    let args = exampleFromSchema(schema);
    for (const [name, value] of Object.entries(args)) {
      const fits = (madeUp: string | number) => accepts({ ...args, [name]: madeUp });
      const madeUp = inPlaceOf(value, values, fits);
      if (madeUp !== undefined) args = { ...args, [name]: madeUp };
    }
    return args;
  } catch (error) {
    if (ForgeError.is(error, 'invalid_schema')) return undefined;
    throw error;
  }
}

function inPlaceOf(
  value: JsonValue,
  values: MadeUpValues,
  fits: (value: string | number) => boolean,
): string | number | undefined {
  if (value === 1) return values.takeNumber(fits);
  return value === 'text' ? values.takePhrase(fits) : undefined;
}
