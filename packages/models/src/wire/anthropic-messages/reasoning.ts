import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { defined } from '../shared/json-fields.ts';
import type { ReasoningSettings } from '../wire.ts';
import { without } from './read-object.ts';

/** How this wire says what `reasoning` says, and what is left of the two fields it uses. */
export interface ThinkingFields {
  readonly thinking?: JsonObject;
  readonly outputConfig?: JsonObject;
}

const lowestEffort = 'low';

/**
 * | `thinking`, `output_config.effort` | `reasoning` |
 * |---|---|
 * | disabled | effort `none` |
 * | enabled with a budget | `budgetTokens`, and the effort if there is one |
 * | adaptive | the effort; `{}` if there is none |
 * | no `thinking`, or one of another type | none: both fields ride along |
 *
 * An effort without thinking is about the length of the whole answer, so it is no reasoning.
 */
export function decodeReasoning({ thinking = {}, outputConfig = {} }: ThinkingFields): {
  readonly reasoning?: ReasoningSettings;
  readonly rest: ThinkingFields;
} {
  const effort = typeof outputConfig.effort === 'string' ? { effort: outputConfig.effort } : {};
  const budgetTokens = thinking.budget_tokens;
  switch (thinking.type) {
    case 'disabled':
      return { reasoning: { effort: 'none' }, rest: { thinking: untyped(thinking), outputConfig } };
    case 'adaptive': {
      const rest = { thinking: untyped(thinking), outputConfig: without(outputConfig, effort) };
      return { reasoning: effort, rest };
    }
    case 'enabled': {
      if (typeof budgetTokens !== 'number') break;
      const rest = { thinking: untyped(thinking), outputConfig: without(outputConfig, effort) };
      return { reasoning: { ...effort, budgetTokens }, rest };
    }
  }
  return { rest: { thinking, outputConfig } };
}

export function encodeReasoning(
  reasoning: ReasoningSettings | undefined,
  { thinking, outputConfig }: ThinkingFields,
): ThinkingFields {
  if (reasoning === undefined) {
    return { ...(thinking && { thinking }), ...(outputConfig && { outputConfig }) };
  }
  const { effort, budgetTokens } = reasoning;
  if (effort === 'none') {
    return { thinking: { ...thinking, type: 'disabled' }, ...(outputConfig && { outputConfig }) };
  }
  const config = defined({ ...outputConfig, effort: known(effort) });
  return {
    thinking:
      budgetTokens === undefined
        ? { ...thinking, type: 'adaptive' }
        : { ...thinking, type: 'enabled', budget_tokens: budgetTokens },
    ...(Object.keys(config).length > 0 && { outputConfig: config }),
  };
}

export function objectField(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function untyped(thinking: JsonObject): JsonObject {
  return without(thinking, { type: '', budget_tokens: 0 });
}

/** Other wires know an effort below the lowest here. */
function known(effort: string | undefined): string | undefined {
  return effort === 'minimal' ? lowestEffort : effort;
}
