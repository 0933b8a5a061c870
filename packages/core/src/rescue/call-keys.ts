import type { JsonObject, JsonValue } from '../json.ts';

/** Keys a call's name stands under, the most telling first. */
const nameKeys = [
  'name',
  'tool_name',
  'function_name',
  'tool',
  'function',
  'action',
  'recipient_name',
  'toolName',
  'functionName',
  'func',
  'fn',
  'api_name',
  'tool_to_call',
  'command',
  'method',
];

/** Keys its arguments stand under. */
const argumentKeys = [
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
  'action_input',
  'tool_input',
  'toolInput',
  'actionInput',
  'tool_args',
  'tool_arguments',
  'tool_parameters',
  'function_arguments',
  'function_args',
  'kwargs',
  'inputs',
  'argument',
  'parameter',
];

/** Keys that calls are wrapped in. */
const wrapperKeys = [
  'tool_calls',
  'toolCalls',
  'tool_call',
  'toolCall',
  'function_call',
  'functionCall',
  'function_calls',
  'functionCalls',
  'tool_use',
  'tool_uses',
  'calls',
  'call',
  'actions',
  'tools',
  'functions',
  'function',
  'tool',
  'action',
  'message',
  'choices',
  'delta',
];

export const nameRanks = ranks(nameKeys);
export const argumentRanks = ranks(argumentKeys);
export const wrapperRanks = ranks(wrapperKeys);

function ranks(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, rank) => [key, rank]));
}

/** The keys an object has of those, the most telling first. */
export function ranked(value: JsonObject, ranks: ReadonlyMap<string, number>): string[] {
  const found: string[] = [];
  for (const key in value) if (ranks.has(key) && Object.hasOwn(value, key)) found.push(key);
  if (found.length > 1) found.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  return found;
}

/** Beside name and arguments, these say nothing about what is called. */
export const metaKeys = new Set([
  'type',
  'id',
  'call_id',
  'tool_call_id',
  'index',
  'thought',
  'thoughts',
  'reasoning',
  'role',
  'status',
]);

/** Keys by which an object may be a call. */
export const tellingKeys = new Set([...nameKeys, ...wrapperKeys]);

export const callKeys = new Set([...tellingKeys, ...argumentKeys]);

/** An own property; `constructor` and the like are not. */
export function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
