import { isJsonObject } from '@forge/core';
import type { Frame, StreamEvent, Wire } from '@forge/models';

/**
 * Whether a frame that begins calls numbers them as clients need it. Servers that leave the number
 * out, or give every call the first one, are understood here; most clients would make one call of
 * several.
 */
export function isWellNumbered(
  { name }: Wire,
  frame: Frame | undefined,
  events: readonly StreamEvent[],
): boolean {
  if (name !== 'openai-chat') return true;
  const begun = events.filter((event) => event.type === 'call').map(({ index }) => index);
  if (begun.length === 0 || frame === undefined) return true;
  const numbers = numbersIn(frame.data);
  return numbers === undefined || begun.every((index, at) => numbers[at] === index);
}

/** The numbers of the calls a chunk speaks of, or undefined where it is of another kind. */
function numbersIn(data: string): readonly unknown[] | undefined {
  const chunk: unknown = data === '[DONE]' ? undefined : JSON.parse(data);
  const choices = isJsonObject(chunk) ? chunk.choices : undefined;
  const [choice] = Array.isArray(choices) ? choices : [];
  const delta = isJsonObject(choice) ? choice.delta : undefined;
  const calls = isJsonObject(delta) ? delta.tool_calls : undefined;
  if (!Array.isArray(calls)) return undefined;
  return calls.map((call) => (isJsonObject(call) ? call.index : undefined));
}
