import { isJsonObject, type JsonObject } from '@forge/core';
import type { WireCall } from './shapes.ts';

/** What nearly every chunk of a stream is: the next words, thoughts, or piece of arguments. */
export interface PlainDelta {
  readonly reasoning: string;
  readonly content: string;
  readonly call: WireCall | undefined;
}

/**
 * Reads such a chunk without the schema, which costs as much as parsing its JSON. Anything else in
 * the chunk, or anything unusual about it, and this reads nothing: the schema does.
 */
export function readPlainDelta(chunk: unknown): PlainDelta | undefined {
  if (!isJsonObject(chunk) || chunk.usage != null || chunk.x_groq != null) return undefined;
  const { choices } = chunk;
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  const choice: unknown = choices[0];
  if (!isJsonObject(choice) || choice.index !== 0 || choice.finish_reason != null) return undefined;
  return choice.usage == null && isJsonObject(choice.delta) ? readDelta(choice.delta) : undefined;
}

function readDelta(delta: JsonObject): PlainDelta | undefined {
  let reasoning = '';
  let thinking = '';
  let content = '';
  let call: WireCall | undefined;
  for (const key in delta) {
    const value = delta[key];
    if (value === null) continue;
    if (typeof value === 'string') {
      if (key === 'content') content = value;
      else if (key === 'reasoning_content') reasoning = value;
      else if (key === 'reasoning') thinking = value;
      else if (key !== 'role') return undefined;
    } else {
      call = key === 'tool_calls' ? readArguments(value) : undefined;
      if (call === undefined) return undefined;
    }
  }
  return { reasoning: reasoning || thinking, content, call };
}

/** `[{ index, function: { arguments } }]` and not a field more. */
function readArguments(calls: unknown): WireCall | undefined {
  if (!Array.isArray(calls) || calls.length !== 1) return undefined;
  const call: unknown = calls[0];
  if (!isJsonObject(call)) return undefined;
  const { index, function: called } = call;
  if (typeof index !== 'number' || !isJsonObject(called)) return undefined;
  for (const key in call) if (key !== 'index' && key !== 'function') return undefined;
  for (const key in called) if (key !== 'arguments') return undefined;
  const { arguments: text } = called;
  return typeof text === 'string' ? { index, function: { arguments: text } } : undefined;
}
