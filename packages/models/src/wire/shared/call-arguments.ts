import { isJsonObject, type JsonObject, type JsonValue, type ToolCallPart } from '@forge/core';
import { parseJson } from './parse-json.ts';

type Arguments = Pick<ToolCallPart, 'args' | 'argsText'>;

/**
 * The arguments of a call for a wire that only takes an object. Text that is no JSON object
 * cannot be said there and becomes an empty one.
 */
export function argumentsObject({ args, argsText }: Arguments): JsonObject {
  const value = argsText ?? args;
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isJsonObject(parsed) ? parsed : {};
}

/** The arguments for a wire that takes JSON text: as they came, if they came as text. */
export function argumentsText({ args, argsText }: Arguments): string {
  return argsText ?? textOfArguments(args);
}

export function textOfArguments(args: JsonValue): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}
