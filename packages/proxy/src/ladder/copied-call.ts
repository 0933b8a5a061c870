import { type AssistantPart, isJsonObject, type JsonObject, type ToolSpec } from '@forge/core';
import type { WireReply } from '@forge/models';
import type { RefusedReply } from './ask.ts';

/** The id of a call that cannot run because a value it needs was copied from an example. */
const copiedId = 'copied_from_example';

/**
 * The reply without arguments that were copied from an example: such a value is none. A call that
 * then lacks a required argument will be refused, and is marked so that `copiedTools` knows it.
 */
export function withoutMadeUp(
  reply: WireReply,
  tools: readonly ToolSpec[],
  isMadeUp: (value: unknown) => boolean,
): WireReply {
  const content = reply.content.map((part): AssistantPart => {
    if (part.type !== 'tool_call' || !isJsonObject(part.args)) return part;
    const given = Object.entries(part.args);
    const real = given.filter(([, value]) => !isMadeUp(value));
    if (real.length === given.length) return part;
    const args = Object.fromEntries(real);
    const tool = tools.find(({ name }) => name === part.name);
    const id = tool !== undefined && lacksArgument(tool, args) ? copiedId : part.id;
    return { ...part, id, args };
  });
  return { ...reply, content };
}

/** The refusals of such calls, with the tool of each. */
export function copiedTools(refusals: readonly RefusedReply[]): ReadonlyMap<RefusedReply, string> {
  const copied = new Map<RefusedReply, string>();
  for (const refusal of refusals) {
    for (const part of refusal.message.content) {
      if (part.type === 'tool_call' && part.id === copiedId) copied.set(refusal, part.name);
    }
  }
  return copied;
}

function lacksArgument({ inputSchema }: ToolSpec, args: JsonObject): boolean {
  const required = isJsonObject(inputSchema) ? inputSchema.required : undefined;
  if (!Array.isArray(required)) return false;
  return required.some((name) => typeof name === 'string' && !Object.hasOwn(args, name));
}
