import { isJsonObject, type JsonObject, type JsonValue, type ToolChoice } from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import { asList, asText } from '../shared/lenient.ts';
import { camelKeys } from './camel-keys.ts';

/**
 * Which tools may be called. What our choice has no word for (`VALIDATED`, several allowed
 * names, other configuration) is left in `rest`.
 */
export function decodeToolConfig(value: JsonValue | undefined): {
  toolChoice: ToolChoice;
  rest?: JsonObject;
} {
  const { functionCallingConfig, ...others } = isJsonObject(value) ? camelKeys(value) : {};
  const config = isJsonObject(functionCallingConfig) ? camelKeys(functionCallingConfig) : {};
  const { mode, allowedFunctionNames, ...fields } = config;
  const allowed = asList(allowedFunctionNames).filter((name) => typeof name === 'string');
  const word = (asText(mode) ?? '').toUpperCase();
  const unsaid: Record<string, JsonValue> = { ...fields };
  const toolChoice = choiceOf(word, allowed);
  if (word !== '' && !plainModes.has(word)) unsaid.mode = word;
  if (allowed.length > 0 && typeof toolChoice === 'string') unsaid.allowedFunctionNames = allowed;
  const rest = { ...others, ...(!isEmpty(unsaid) && { functionCallingConfig: unsaid }) };
  return { toolChoice, ...(!isEmpty(rest) && { rest }) };
}

/** With no functions declared Gemini refuses to be told how to call them. */
export function encodeToolConfig(
  toolChoice: ToolChoice,
  { rest, hasTools }: { rest: JsonValue | undefined; hasTools: boolean },
): JsonObject | undefined {
  const { functionCallingConfig, ...others } = isJsonObject(rest) ? rest : {};
  const unsaid = isJsonObject(functionCallingConfig) ? functionCallingConfig : {};
  const config = hasTools ? { ...modeFor(toolChoice), ...unsaid } : {};
  const encoded = { ...others, ...(!isEmpty(config) && { functionCallingConfig: config }) };
  return isEmpty(encoded) ? undefined : encoded;
}

const plainModes = new Set(['AUTO', 'ANY', 'NONE', 'MODE_UNSPECIFIED']);

function choiceOf(mode: string, allowed: readonly string[]): ToolChoice {
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [tool, ...more] = allowed;
  return tool !== undefined && more.length === 0 ? { tool } : 'required';
}

function modeFor(choice: ToolChoice): JsonObject {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.tool] };
  switch (choice) {
    case 'auto':
      return {};
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    default:
      return choice satisfies never;
  }
}
