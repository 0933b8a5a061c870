import { isJsonObject, type JsonValue, type ToolChoice } from '@forge/core';

/**
 * A choice as the kernel can say it. `exact` is false for the wire's finer ones (some tools only,
 * a built-in tool), which then ride along as they came.
 */
export function readToolChoice(raw: JsonValue | undefined): {
  choice: ToolChoice;
  exact: boolean;
} {
  if (raw === undefined || raw === null) return { choice: 'auto', exact: true };
  if (raw === 'auto' || raw === 'none' || raw === 'required') return { choice: raw, exact: true };
  if (!isJsonObject(raw)) return { choice: 'auto', exact: false };
  if (raw.type === 'function' && typeof raw.name === 'string') {
    return { choice: { tool: raw.name }, exact: true };
  }
  const mustCall = raw.type === 'allowed_tools' && raw.mode === 'required';
  return { choice: mustCall ? 'required' : 'auto', exact: false };
}

/** `undefined` for what the API does anyway. A choice that rode along counts while it still agrees. */
export function writeToolChoice(
  choice: ToolChoice,
  rodeAlong: JsonValue | undefined,
): JsonValue | undefined {
  if (rodeAlong !== undefined && readToolChoice(rodeAlong).choice === choice) return rodeAlong;
  if (typeof choice === 'object') return { type: 'function', name: choice.tool };
  return choice === 'auto' ? undefined : choice;
}
