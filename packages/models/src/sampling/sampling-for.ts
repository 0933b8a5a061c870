import { ForgeError, type JsonObject } from '@forge/core';
import { definedFields } from '../client/defined-fields.ts';
import type { Settings } from '../wire/wire.ts';
import { normaliseModelName } from './normalise-model-name.ts';
import { type SamplingRow, samplingDefaults } from './sampling-defaults.ts';

/** What a model's card advises: settings, and fields that only OpenAI-compatible servers take. */
export interface Sampling {
  readonly settings: Settings;
  readonly extra: JsonObject;
}

/**
 * The advice for a model, by any of its names.
 *
 * | | known | unknown |
 * |---|---|---|
 * | not strict | the advice | undefined: the server's own defaults |
 * | strict | the advice | `invalid_options` |
 */
export function samplingFor(
  model: string,
  { strict = false }: { readonly strict?: boolean } = {},
): Sampling | undefined {
  const row = rows().get(normaliseModelName(model));
  if (row !== undefined) return toSampling(row);
  if (!strict) return undefined;
  throw new ForgeError(
    'invalid_options',
    `No sampling advice is known for "${model}". Set the settings yourself, or ask for advice only where it is known (sampling: 'known').`,
  );
}

let byName: ReadonlyMap<string, SamplingRow> | undefined;

function rows(): ReadonlyMap<string, SamplingRow> {
  byName ??= new Map(
    Object.entries(samplingDefaults).map(([name, row]) => [normaliseModelName(name), row]),
  );
  return byName;
}

function toSampling(row: SamplingRow): Sampling {
  return {
    settings: definedFields({
      temperature: row.temperature,
      topP: row.top_p,
      topK: row.top_k,
      minP: row.min_p,
      presencePenalty: row.presence_penalty,
      repeatPenalty: row.repeat_penalty,
    }),
    extra:
      row.chat_template_kwargs === undefined
        ? {}
        : { chat_template_kwargs: row.chat_template_kwargs },
  };
}
