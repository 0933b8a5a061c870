import type { AssistantMessage, Message, ReasoningReplay } from '@forge/core';

/**
 * The messages with earlier reasoning only as far as the policy says: none, that of the last
 * reply, or all. Reasoning with a provider's proof stays from the last question on in every mode,
 * because providers refuse to go on with a tool call whose reasoning is missing. Messages that
 * need no change stay the same objects.
 */
export function replayReasoning(
  messages: readonly Message[],
  replay: ReasoningReplay,
): readonly Message[] {
  if (replay === 'full') return messages;
  const lastReply = messages.findLastIndex((message) => message.role === 'assistant');
  const lastQuestion = messages.findLastIndex((message) => message.role === 'user');
  return messages.map((message, at) => {
    if (message.role !== 'assistant' || (replay === 'last' && at === lastReply)) return message;
    return without(message, (part) => at > lastQuestion && part.signature !== undefined);
  });
}

function without(
  message: AssistantMessage,
  stays: (part: { readonly signature?: string }) => boolean,
): AssistantMessage {
  const content = message.content.filter((part) => part.type !== 'reasoning' || stays(part));
  return content.length === message.content.length ? message : { ...message, content };
}
