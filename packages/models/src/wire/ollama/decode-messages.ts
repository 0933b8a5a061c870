import {
  type AssistantPart,
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type OpaquePart,
  type TextPart,
  text,
} from '@forge/core';
import { type CallIds, createCallIds } from '../shared/call-ids.ts';
import { asList, asText, otherFields } from '../shared/lenient.ts';
import { createOpenCalls, type OpenCalls } from '../shared/open-calls.ts';
import { badBody } from '../shared/read-body.ts';
import { decodeImage } from './image-data.ts';
import { withOllamaFields } from './own-fields.ts';
import { requestPlace } from './places.ts';
import { decodeToolCalls } from './tool-calls.ts';

type Part = TextPart | ImagePart | OpaquePart;

const commonFields = ['role', 'content', 'images'];
const userFields = new Set(commonFields);
const assistantFields = new Set([...commonFields, 'thinking', 'tool_calls']);
const toolFields = new Set([...commonFields, 'tool_name', 'name', 'tool_call_id']);

/** The messages of a request. A result that does not say whose it is belongs to the oldest open call. */
export function decodeMessages(value: JsonValue | undefined): Message[] {
  const ids = createCallIds(() => undefined);
  const open = createOpenCalls({ anyName: true });
  return asList(value).map((message, index): Message => {
    if (!isJsonObject(message)) throw badBody(requestPlace, `messages.${index} is not an object`);
    const role = (asText(message.role) ?? '').toLowerCase();
    switch (role) {
      case 'system':
        return {
          role,
          content: decodeContent(message).filter((part) => part.type === 'text'),
          ...withOllamaFields({ message: otherFields(message, userFields) }),
        };
      case 'user':
        return {
          role,
          content: decodeContent(message),
          ...withOllamaFields({ message: otherFields(message, userFields) }),
        };
      case 'assistant': {
        const content = decodeAssistant(message, ids);
        open.turn(content);
        return {
          role,
          content,
          ...withOllamaFields({ message: otherFields(message, assistantFields) }),
        };
      }
      case 'tool':
        return decodeResult(message, { ids, open });
      default:
        throw badBody(
          requestPlace,
          `messages.${index}.role is "${role}"; it is "system", "user", "assistant" or "tool"`,
        );
    }
  });
}

/** What an assistant's message holds, in the order the model writes: thinking, words, calls. */
export function decodeAssistant(message: JsonObject, ids: CallIds): AssistantPart[] {
  const thinking = asText(message.thinking) ?? '';
  const content = decodeContent(message).filter((part) => part.type !== 'image');
  return [
    ...(thinking === '' ? [] : [{ type: 'reasoning' as const, text: thinking }]),
    ...content,
    ...decodeToolCalls(message.tool_calls, ids),
  ];
}

function decodeResult(
  message: JsonObject,
  { ids, open }: { ids: CallIds; open: OpenCalls },
): Message {
  const said = asText(message.tool_name) ?? asText(message.name);
  const id = asText(message.tool_call_id) || undefined;
  const call = open.answer({ id, name: said ?? '' });
  const name = said || call?.name || '';
  return {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId: id ?? call?.id ?? ids.next(name),
        name,
        content: decodeContent(message).filter((part) => part.type !== 'opaque'),
        ...withOllamaFields({ message: otherFields(message, toolFields) }),
      },
    ],
  };
}

/** Content is text on this wire; parts, as other APIs have them, are read all the same. */
function decodeContent(message: JsonObject): Part[] {
  const parts = asList(message.content).flatMap((part): Part[] => {
    if (typeof part === 'string') return part === '' ? [] : [text(part)];
    if (!isJsonObject(part)) return [];
    if (part.type === 'text' && typeof part.text === 'string') return [text(part.text)];
    return [{ type: 'opaque', wire: 'ollama', value: part }];
  });
  const images = asList(message.images).flatMap((image) =>
    typeof image === 'string' ? [decodeImage(image)] : [],
  );
  return [...parts, ...images];
}
