import type {
  AssistantMessage,
  ImagePart,
  JsonObject,
  JsonValue,
  Message,
  OpaquePart,
  TextPart,
  ToolResultPart,
} from '@forge/core';
import { objectField } from '../shared/provider-fields.ts';
import { imageData } from './image-data.ts';
import { ollamaFields } from './own-fields.ts';
import { encodeToolCall } from './tool-calls.ts';

/**
 * The messages of a request. A message is one text here, so parts are joined line by line and
 * lose their order around images and calls. Whether a result was an error cannot be said; its
 * text does. Each result is a message of its own, tied to its call by name and, where Ollama
 * gave one, by id.
 */
export function encodeMessages(messages: readonly Message[]): JsonObject[] {
  const unsentIds = generatedIds(messages);
  return messages.flatMap((message): JsonObject[] => {
    switch (message.role) {
      case 'system':
      case 'user':
        return [
          {
            ...objectField(ollamaFields(message), 'message'),
            role: message.role,
            ...encodeContent(message.content),
          },
        ];
      case 'assistant':
        return [
          {
            ...objectField(ollamaFields(message), 'message'),
            ...encodeAssistant(message.content),
          },
        ];
      case 'tool':
        return message.content.map((result) => encodeResult(result, unsentIds));
      default:
        return message satisfies never;
    }
  });
}

export function encodeAssistant(content: AssistantMessage['content']): JsonObject {
  const thinking = content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
  const calls = content.filter((part) => part.type === 'tool_call');
  const said = content.filter((part) => part.type === 'text' || part.type === 'opaque');
  return {
    role: 'assistant',
    ...encodeContent(said),
    ...(thinking.length > 0 && { thinking: thinking.join('\n') }),
    ...(calls.length > 0 && { tool_calls: calls.map(encodeToolCall) }),
  };
}

function encodeResult(result: ToolResultPart, unsentIds: ReadonlySet<string>): JsonObject {
  return {
    ...objectField(ollamaFields(result), 'message'),
    role: 'tool',
    ...encodeContent(result.content),
    tool_name: result.name,
    ...(!unsentIds.has(result.callId) && { tool_call_id: result.callId }),
  };
}

/** An image that would have to be fetched is named in the text: Ollama fetches nothing. */
function encodeContent(parts: readonly (TextPart | ImagePart | OpaquePart)[]): JsonObject {
  const lines: string[] = [];
  const images: string[] = [];
  const opaque: JsonValue[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        lines.push(part.text);
        break;
      case 'image': {
        const data = imageData(part);
        if (data !== undefined) images.push(data);
        else if ('url' in part.source) lines.push(`[image: ${part.source.url}]`);
        break;
      }
      case 'opaque':
        if (part.wire === 'ollama') opaque.push(part.value);
        break;
      default:
        part satisfies never;
    }
  }
  const words = lines.map((line) => ({ type: 'text', text: line }));
  return {
    content: opaque.length === 0 ? lines.join('\n') : [...words, ...opaque],
    ...(images.length > 0 && { images }),
  };
}

function generatedIds(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'tool_call' && ollamaFields(part).generatedId === true) ids.add(part.id);
    }
  }
  return ids;
}
