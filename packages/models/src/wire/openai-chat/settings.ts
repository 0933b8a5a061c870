import type { JsonObject } from '@forge/core';
import * as z from 'zod';
import { defined } from '../shared/json-fields.ts';
import { numeric } from '../shared/schema-atoms.ts';
import type { Settings } from '../wire.ts';
import type { ChatDialect } from './dialect.ts';

const optional = numeric.nullish();

/** Sampling fields in every spelling. */
export const settingsShape = z.looseObject({
  temperature: optional,
  top_p: optional,
  top_k: optional,
  min_p: optional,
  repeat_penalty: optional,
  repetition_penalty: optional,
  presence_penalty: optional,
  frequency_penalty: optional,
  seed: optional,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  max_tokens: optional,
  max_completion_tokens: optional,
});

export function decodeSettings(body: z.infer<typeof settingsShape>): Settings {
  const { stop } = body;
  const settings = {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    minP: body.min_p,
    repeatPenalty: body.repeat_penalty ?? body.repetition_penalty,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    seed: body.seed,
    stop: typeof stop === 'string' ? [stop] : stop,
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
  };
  return withoutMissing(settings);
}

export function encodeSettings(settings: Settings, dialect: ChatDialect): JsonObject {
  const { stop } = settings;
  return defined({
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    min_p: settings.minP,
    [dialect.repeatPenaltyField]: settings.repeatPenalty,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    seed: settings.seed,
    stop: stop === undefined || stop.length === 0 ? undefined : stop,
    [dialect.maxTokensField]: settings.maxTokens,
  });
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

function withoutMissing<T extends object>(value: T): Present<T>;
function withoutMissing(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one != null));
}
