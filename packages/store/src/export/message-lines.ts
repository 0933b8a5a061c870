import { isJsonObject, type Message, type RunEvent, type ToolCallPart, textOf } from '@forge/core';
import type { MessageLine } from './run-folder.ts';

/** The messages an event adds to the conversation. */
export function messagesIn(event: RunEvent): readonly Message[] {
  switch (event.type) {
    case 'run.started':
      return [...event.history, ...event.input];
    case 'input.received':
      return event.messages;
    case 'reply.answered':
    case 'reply.accepted':
      return [event.message];
    case 'reply.refused':
      return [event.message, ...event.nudges];
    case 'tool.finished': {
      const { callId, name, content, outcome } = event;
      const isError = outcome === 'error';
      return [
        {
          role: 'tool',
          content: [{ type: 'tool_result', callId, name, content, ...(isError && { isError }) }],
        },
      ];
    }
    default:
      return [];
  }
}

/** A message in the old shape: text alone, and one line for each result. */
export function toLines(message: Message): readonly MessageLine[] {
  switch (message.role) {
    case 'tool':
      return message.content.map((result) => ({
        role: 'tool',
        content: textOf(result),
        tool_call_id: result.callId,
      }));
    case 'assistant': {
      const calls = message.content.filter(
        (part): part is ToolCallPart => part.type === 'tool_call',
      );
      return [
        {
          role: 'assistant',
          content: textOf(message),
          ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
        },
      ];
    }
    default:
      return [{ role: message.role, content: textOf(message) }];
  }
}

function toCall({ id, name, args, provider }: ToolCallPart) {
  const gemini = provider?.gemini;
  const signature = isJsonObject(gemini) ? gemini.thoughtSignature : undefined;
  return {
    id,
    name,
    arguments: args,
    thought_signature: typeof signature === 'string' ? signature : null,
  };
}
