import { type AssistantPart, isJsonObject } from '@forge/core';
import type { WireReply } from '@forge/models';

/**
 * The reply without arguments that were copied from an example: such a value is none, and a call
 * that lacks a required argument is refused and asked for again.
 */
export function withoutMadeUp(reply: WireReply, isMadeUp: (value: unknown) => boolean): WireReply {
  const content = reply.content.map((part): AssistantPart => {
    if (part.type !== 'tool_call' || !isJsonObject(part.args)) return part;
    const given = Object.entries(part.args);
    const real = given.filter(([, value]) => !isMadeUp(value));
    return real.length === given.length ? part : { ...part, args: Object.fromEntries(real) };
  });
  return { ...reply, content };
}
