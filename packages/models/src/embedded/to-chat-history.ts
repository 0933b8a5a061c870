import { type AssistantMessage, type Message, textOf, type UserMessage } from '@forge/core';
import { ModelError } from '../wire/model-error.ts';
import type { ChatItem, ResponsePiece } from './engine.ts';

/**
 * Messages as the engine takes them. Tool calls and results must have become text before; parts
 * of other wires are left out. Throws `bad_request` for images, which text models cannot see.
 */
export function toChatHistory(messages: readonly Message[]): ChatItem[] {
  return messages.map((message): ChatItem => {
    switch (message.role) {
      case 'system':
        return { type: 'system', text: textOf(message) };
      case 'user':
        refuseImages(message);
        return { type: 'user', text: textOf(message) };
      case 'assistant':
        return { type: 'model', response: message.content.flatMap(toPiece) };
      case 'tool':
        return { type: 'user', text: message.content.map((result) => textOf(result)).join('\n') };
      default:
        return message satisfies never;
    }
  });
}

function toPiece(part: AssistantMessage['content'][number]): ResponsePiece[] {
  switch (part.type) {
    case 'text':
      return [part.text];
    case 'reasoning':
      return [{ type: 'segment', segmentType: 'thought', text: part.text, ended: true }];
    case 'tool_call':
    case 'opaque':
      return [];
    default:
      return part satisfies never;
  }
}

function refuseImages(message: UserMessage) {
  if (!message.content.some((part) => part.type === 'image')) return;
  throw new ModelError({
    kind: 'bad_request',
    message: 'A local model takes text only, and this request has an image.',
  });
}
