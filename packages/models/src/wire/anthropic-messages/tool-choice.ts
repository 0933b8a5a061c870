import type { JsonObject, ToolChoice } from '@forge/core';
import * as z from 'zod';
import { inside, optionalString, type Place, readObject } from './read-object.ts';

const choiceSchema = z.object({
  type: z.string(),
  name: optionalString,
  disable_parallel_tool_use: z.boolean().nullish(),
});

interface Choice {
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls?: boolean;
}

/** Nothing for a kind of choice that is not known. */
export function decodeToolChoice(value: unknown, place: Place): Choice | undefined {
  if (value === undefined || value === null) return { toolChoice: 'auto' };
  const { fields } = readObject(choiceSchema, value, inside(place, 'tool_choice'));
  const serial = fields.disable_parallel_tool_use;
  const parallel = typeof serial === 'boolean' ? { parallelToolCalls: !serial } : {};
  switch (fields.type) {
    case 'auto':
      return { toolChoice: 'auto', ...parallel };
    case 'any':
      return { toolChoice: 'required', ...parallel };
    case 'tool':
      return { toolChoice: { tool: fields.name ?? '' }, ...parallel };
    case 'none':
      return { toolChoice: 'none' };
    default:
      return undefined;
  }
}

/** Nothing where the choice is what this API does by itself. */
export function encodeToolChoice({
  toolChoice,
  parallelToolCalls,
}: Choice): JsonObject | undefined {
  const parallel: JsonObject =
    parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  switch (toolChoice) {
    case 'auto':
      return parallelToolCalls === undefined ? undefined : { type: 'auto', ...parallel };
    case 'required':
      return { type: 'any', ...parallel };
    case 'none':
      return { type: 'none' };
    default:
      return { type: 'tool', name: toolChoice.tool, ...parallel };
  }
}
