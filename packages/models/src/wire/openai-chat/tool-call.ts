import type { JsonObject, ToolCallPart } from '@forge/core';
import { argumentsText } from '../shared/call-arguments.ts';
import { isEmpty, objectOf } from '../shared/json-fields.ts';
import type { ChatDialect } from './dialect.ts';
import { fromProvider, ownFields, toProvider } from './provider-fields.ts';
import type { WireCall, WireFunction } from './shapes.ts';

/** A function call of this wire, or nothing if it is a call of another kind. */
export function decodeCall(
  call: WireCall,
  newId: (name: string) => string,
): ToolCallPart | undefined {
  if (isForeignCall(call)) return undefined;
  const name = call.function?.name ?? '';
  return {
    type: 'tool_call',
    id: call.id || newId(name),
    name,
    args: call.function?.arguments ?? '',
    ...callProvider(call),
  };
}

/** A call of something that is no function: its tool is not among ours either. */
export function isForeignCall(call: WireCall): boolean {
  return call.function == null && ('custom' in call || (call.type ?? 'function') !== 'function');
}

/** Calls as they were before they had ids. */
export function decodeFunctionCall(
  call: WireFunction,
  newId: (name: string) => string,
): ToolCallPart {
  const name = call.name ?? '';
  return { type: 'tool_call', id: newId(name), name, args: call.arguments ?? '' };
}

/** What a server hangs on its calls: Gemini's signatures ride in `extra_content`. */
export function callProvider(call: WireCall): { provider?: JsonObject } {
  const { index: _, id: __, type: ___, function: called, ...rest } = call;
  const { name: ____, arguments: _____, ...inner } = called ?? {};
  return toProvider(objectOf(isEmpty(objectOf(inner)) ? rest : { ...rest, function: inner }));
}

export function encodeCall(part: ToolCallPart, dialect: ChatDialect): JsonObject {
  return {
    ...fromProvider(part.provider, dialect),
    id: part.id,
    type: 'function',
    function: {
      ...objectOf(ownFields(part.provider).function),
      name: part.name,
      arguments: saidArguments(part),
    },
  };
}

/** Both sides parse this text as JSON, and the empty string is none: no arguments are `{}`. */
function saidArguments(part: ToolCallPart): string {
  const text = argumentsText(part);
  return text.trim() === '' ? '{}' : text;
}
