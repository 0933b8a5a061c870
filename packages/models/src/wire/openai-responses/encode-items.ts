import { isJsonObject, type JsonObject, type Message, type UserMessage } from '@forge/core';
import { encodeResult } from './call-output.ts';
import { encodeImage } from './image-part.ts';
import { contentOf } from './opaque-part.ts';
import { fieldsOf, objectField } from './provider-fields.ts';
import { replayAssistant } from './replay-assistant.ts';
import { encodeText } from './text-part.ts';
import { wireName } from './wire-name.ts';

/** Messages → input items. */
export function encodeItems(messages: readonly Message[]): JsonObject[] {
  return messages.flatMap((message): JsonObject[] => {
    switch (message.role) {
      case 'system': {
        const content = message.content.map((part) => encodeText(part, 'input_text'));
        const { role } = fieldsOf(message);
        return [messageItem(message, typeof role === 'string' ? role : 'system', content)];
      }
      case 'user':
        return userItems(message);
      case 'assistant':
        return replayAssistant(message.content);
      case 'tool':
        return message.content.map(encodeResult);
      default:
        return message satisfies never;
    }
  });
}

/** Opaque items in a user message stand at their place between pieces of it. */
function userItems(message: UserMessage): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const close = () => {
    if (content.length > 0) items.push(messageItem(message, 'user', content));
    content = [];
  };
  for (const part of message.content) {
    if (part.type === 'text') content.push(encodeText(part, 'input_text'));
    else if (part.type === 'image') content.push(encodeImage(part));
    else if (part.wire === wireName && isJsonObject(part.value)) {
      const own = contentOf(part.value);
      if (own === undefined) {
        close();
        items.push(part.value);
      } else content.push(own.raw);
    }
  }
  close();
  return items.length > 0 ? items : [messageItem(message, 'user', [])];
}

/** An empty list of parts is refused; empty text is not. */
function messageItem(message: Message, role: string, content: readonly JsonObject[]): JsonObject {
  return {
    type: 'message',
    role,
    ...objectField(message, 'item'),
    content: content.length > 0 ? content : '',
  };
}
