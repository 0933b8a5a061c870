import { isJsonObject, type JsonObject, type JsonValue, type ToolCallPart } from '@forge/core';

/** The arguments of a call as an object, however they were given; undefined if they are none. */
export function readArguments({ args, argsText }: ToolCallPart): JsonObject | undefined {
  const value = argsText ?? args;
  if (typeof value !== 'string') return isJsonObject(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments of a call as text. */
export function argumentsText({ args, argsText }: ToolCallPart): string {
  return argsText ?? (typeof args === 'string' ? args : JSON.stringify(args));
}

export function withArguments(call: ToolCallPart, args: JsonValue): ToolCallPart {
  const { argsText: _, ...rest } = call;
  return { ...rest, args };
}
