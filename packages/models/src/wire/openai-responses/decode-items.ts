import type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  JsonObject,
  Message,
  OpaquePart,
  TextPart,
  ToolMessage,
} from '@forge/core';
import {
  type AssistantDecoder,
  createAssistantDecoder,
  isMessage,
  itemFields,
} from './assistant-decoder.ts';
import { decodeResult } from './call-output.ts';
import { decodeImage } from './image-part.ts';
import { opaque, opaqueContent } from './opaque-part.ts';
import { providerWith, unlessEmpty } from './provider-fields.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { messageItem } from './schemas.ts';
import { decodeText } from './text-part.ts';

/** Items that a model writes although their type does not end in `_call`. */
const writtenByModel: ReadonlySet<unknown> = new Set([
  'function_call',
  'reasoning',
  'compaction',
  'mcp_list_tools',
  'mcp_approval_request',
  'program',
]);

/**
 * Input items → messages. What a model wrote between two inputs is one assistant message, results
 * that follow each other are one tool message; every other item is a message of its own.
 */
export function decodeItems(items: readonly JsonObject[], context: DecodeContext): Message[] {
  const messages: Message[] = [];
  const callNames = new Map<string, string>();
  let assistant: AssistantDecoder | undefined;

  function addAssistant(item: JsonObject, at: string): void {
    assistant ??= createAssistantDecoder(context);
    const parts = assistant.push(item, at);
    for (const part of parts) if (part.type === 'tool_call') callNames.set(part.id, part.name);
    turn(messages).push(...parts);
  }

  items.forEach((item, index) => {
    const at = `input.${index}`;
    if (isByModel(item)) {
      addAssistant(item, at);
      return;
    }
    assistant = undefined;
    if (item.type === 'function_call_output' && typeof item.call_id === 'string') {
      results(messages).push(decodeResult({ item, at, callNames, context }));
    } else {
      messages.push(isMessage(item) ? inputMessage(item, at, context) : aside(item));
    }
  });
  return messages;
}

function isByModel(item: JsonObject): boolean {
  if (isMessage(item)) return item.role === 'assistant';
  const { type } = item;
  return writtenByModel.has(type) || (typeof type === 'string' && type.endsWith('_call'));
}

function inputMessage(item: JsonObject, at: string, context: DecodeContext): Message {
  const { known, rest } = readKnown({ schema: messageItem, body: item, at, kind: context.kind });
  const content = inputContent(known.content);
  const fields = unlessEmpty('item', itemFields(rest));
  switch (known.role) {
    case 'user':
      return { role: 'user', content, ...providerWith(fields) };
    case 'system':
    case 'developer': {
      const texts = content.filter((part) => part.type === 'text');
      if (texts.length < content.length) return aside(item);
      return {
        role: 'system',
        content: texts,
        ...providerWith({ role: known.role, ...fields }),
      };
    }
    default:
      return aside(item);
  }
}

function inputContent(
  content: string | readonly JsonObject[] | undefined,
): (TextPart | ImagePart | OpaquePart)[] {
  if (content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((raw) => {
    const image = raw.type === 'input_image' ? decodeImage(raw) : undefined;
    return image ?? decodeText(raw, 'input_text') ?? opaqueContent(raw);
  });
}

/** An item the kernel has no word for, at its place between the messages. */
function aside(item: JsonObject): Message {
  return { role: 'user', content: [opaque(item)] };
}

function turn(messages: Message[]): AssistantPart[] {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last.content;
  const message: AssistantMessage = { role: 'assistant', content: [] };
  messages.push(message);
  return message.content;
}

function results(messages: Message[]): ToolMessage['content'] {
  const last = messages.at(-1);
  if (last?.role === 'tool') return last.content;
  const message: ToolMessage = { role: 'tool', content: [] };
  messages.push(message);
  return message.content;
}
