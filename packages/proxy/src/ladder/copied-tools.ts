import { isJsonObject, type ToolSpec } from '@forge/core';
import type { RefusedReply } from './ask.ts';

/**
 * The refused calls whose values were copied from an example, with their tools. Such a call has
 * lost a required argument (`withoutMadeUp`), which the shape lets no other call do.
 */
export function copiedTools(
  tools: readonly ToolSpec[],
  constrained: readonly RefusedReply[],
): ReadonlyMap<RefusedReply, string> {
  const copied = new Map<RefusedReply, string>();
  for (const refusal of constrained) {
    for (const part of refusal.message.content) {
      if (part.type !== 'tool_call') continue;
      const tool = tools.find(({ name }) => name === part.name);
      if (tool !== undefined && lacksArgument(tool, part.args)) copied.set(refusal, tool.name);
    }
  }
  return copied;
}

function lacksArgument({ inputSchema }: ToolSpec, args: unknown): boolean {
  const required = isJsonObject(inputSchema) ? inputSchema.required : undefined;
  if (!Array.isArray(required) || !isJsonObject(args)) return false;
  return required.some((name) => typeof name === 'string' && !Object.hasOwn(args, name));
}
