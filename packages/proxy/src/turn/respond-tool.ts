import { type AssistantPart, isJsonObject, type ToolSpec, text } from '@forge/core';
import type { WireRequest } from '@forge/models';

/**
 * Offered beside the client's tools where models do better when every reply is a call. The client
 * never sees it: its call becomes the plain answer it stands for.
 */
export const respondTool: ToolSpec = {
  name: 'respond',
  description:
    'Answer the user. Call this when no other tool is needed any more, with the whole answer.',
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The answer, as the user will read it.' },
    },
    required: ['message'],
    additionalProperties: false,
  },
};

/** The content with each call of `respond` as the text it says, or undefined if there is none. */
export function answerInstead(content: readonly AssistantPart[]): AssistantPart[] | undefined {
  if (!content.some((part) => part.type === 'tool_call' && isRespond(part))) return undefined;
  return content.map((part) => {
    if (part.type !== 'tool_call' || !isRespond(part)) return part;
    const message = isJsonObject(part.args) ? part.args.message : undefined;
    return text(typeof message === 'string' ? message : '');
  });
}

/**
 * The tools with `respond` among them, where an answer will do: a client that demands a call of
 * its tools is not to get words instead.
 */
export function addRespond({ tools, toolChoice }: WireRequest): WireRequest['tools'] {
  if (tools.length === 0 || toolChoice !== 'auto' || tools.some(isRespond)) return tools;
  return [...tools, respondTool];
}

export function isRespond({ name }: { readonly name: string }): boolean {
  return name === respondTool.name;
}
