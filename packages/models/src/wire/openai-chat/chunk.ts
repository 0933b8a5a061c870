import { isJsonObject, type JsonObject } from '@forge/core';
import * as z from 'zod';
import { objectOf, withoutNulls } from '../shared/json-fields.ts';
import { jsonValue, label, numeric } from '../shared/schema-atoms.ts';
import { saidShape } from './shapes.ts';

const choiceShape = z.looseObject({
  index: numeric.nullish(),
  delta: saidShape.nullish(),
  message: saidShape.nullish(),
  finish_reason: z.string().nullish(),
});

/** One chunk of a stream. */
export const chunkShape = z.looseObject({
  id: label.nullish(),
  object: z.string().nullish(),
  model: z.string().nullish(),
  choices: z.array(choiceShape).nullish(),
  usage: jsonValue.nullish(),
});

export type Chunk = z.infer<typeof chunkShape>;
export type Choice = z.infer<typeof choiceShape>;

/**
 * Fields this codec has no word for, without OpenAI's padding against guessing tokens from packet
 * sizes.
 */
export function restOf(chunk: Chunk): JsonObject {
  const { id: _, object: __, model: ___, choices: ____, usage: _____, ...rest } = chunk;
  const { obfuscation: ______, ...kept } = rest;
  return objectOf(kept);
}

/** Fields of a choice this codec has no word for. */
export function choiceRestOf(choice: Choice): JsonObject {
  const { index: _, delta: __, message: ___, finish_reason: ____, ...rest } = choice;
  return withoutNulls(objectOf(rest));
}

/** What is not as it was at the start. */
export function changedFields(rest: JsonObject, before: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rest).filter(([key, one]) => before[key] !== one));
}

/** Groq counts in `x_groq`, Moonshot in the choice. */
export function usageElsewhere(chunk: Chunk, choice: Choice | undefined): unknown {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
  return groq ?? choice?.usage ?? undefined;
}
