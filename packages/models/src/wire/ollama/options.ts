import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { isEmpty } from '../shared/json-fields.ts';
import { jsonValue, numeric, texts } from '../shared/schema-atoms.ts';
import type { Settings } from '../wire.ts';

export const optionsSchema = z
  .object({
    temperature: numeric.nullish(),
    top_p: numeric.nullish(),
    top_k: numeric.nullish(),
    min_p: numeric.nullish(),
    repeat_penalty: numeric.nullish(),
    presence_penalty: numeric.nullish(),
    frequency_penalty: numeric.nullish(),
    seed: numeric.nullish(),
    num_predict: numeric.nullish(),
    stop: texts.nullish(),
  })
  .catchall(jsonValue);

/** What is not a matter of choosing words (`num_ctx`, `num_gpu`, …) is left in `rest`. */
export function decodeOptions(options: z.output<typeof optionsSchema>): {
  settings: Settings;
  rest?: JsonObject;
} {
  const {
    temperature,
    top_p: topP,
    top_k: topK,
    min_p: minP,
    repeat_penalty: repeatPenalty,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    seed,
    num_predict: limit,
    stop,
    ...others
  } = options;
  const isLimit = isNumber(limit) && limit >= 0;
  // -1 is "no limit" and -2 "to the end of the context": not numbers of tokens.
  const rest = { ...others, ...(isNumber(limit) && !isLimit && { num_predict: limit }) };
  return {
    settings: {
      ...(isNumber(temperature) && { temperature }),
      ...(isNumber(topP) && { topP }),
      ...(isNumber(topK) && { topK }),
      ...(isNumber(minP) && { minP }),
      ...(isNumber(repeatPenalty) && { repeatPenalty }),
      ...(isNumber(presencePenalty) && { presencePenalty }),
      ...(isNumber(frequencyPenalty) && { frequencyPenalty }),
      ...(isNumber(seed) && { seed }),
      ...(isLimit && { maxTokens: limit }),
      ...(stop && stop.length > 0 && { stop }),
    },
    ...(!isEmpty(rest) && { rest }),
  };
}

export function encodeOptions(
  settings: Settings,
  rest: JsonValue | undefined,
): JsonObject | undefined {
  const { temperature, topP, topK, minP, repeatPenalty, seed, maxTokens, stop } = settings;
  const { presencePenalty, frequencyPenalty } = settings;
  const options = {
    ...(isJsonObject(rest) ? rest : {}),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(minP !== undefined && { min_p: minP }),
    ...(repeatPenalty !== undefined && { repeat_penalty: repeatPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(seed !== undefined && { seed }),
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
    ...(stop !== undefined && stop.length > 0 && { stop }),
  };
  return isEmpty(options) ? undefined : options;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}
