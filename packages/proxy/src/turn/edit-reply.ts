import type { AssistantPart, FinishReason, ToolCallPart } from '@forge/core';
import type { WireReply } from '@forge/models';

export function callsOf(content: readonly AssistantPart[]): readonly ToolCallPart[] {
  return content.filter((part) => part.type === 'tool_call');
}

/** The reply without its second and further calls; the same object if it has none. */
export function keepFirstCall(reply: WireReply): WireReply {
  const [first, second] = callsOf(reply.content);
  if (second === undefined) return reply;
  const content = reply.content.filter((part) => part.type !== 'tool_call' || part === first);
  return { ...reply, content };
}

export function sameCallIds(
  before: readonly AssistantPart[],
  after: readonly AssistantPart[],
): boolean {
  const ids = callsOf(before);
  const others = callsOf(after);
  return ids.length === others.length && ids.every(({ id }, at) => id === others[at]?.id);
}

/** What each wire calls its own word for the finish, in `extra`. */
const finishFields: ReadonlySet<string> = new Set([
  'finish_reason',
  'stop_reason',
  'finishReason',
  'done_reason',
]);

/** The reply with other content. Where it now finishes otherwise, the wire's own word for it goes. */
export function withContent(
  reply: WireReply,
  content: readonly AssistantPart[],
  finish: FinishReason,
): WireReply {
  if (finish === reply.finish) return { ...reply, content };
  const extra = Object.fromEntries(
    Object.entries(reply.extra).filter(([name]) => !finishFields.has(name)),
  );
  return { ...reply, content, finish, extra };
}
