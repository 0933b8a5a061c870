import type { ImagePart, Message, TextPart, ToolResultPart } from '@forge/core';
import * as z from 'zod';
import { objectOf } from '../shared/json-fields.ts';
import { jsonValue, label } from '../shared/schema-atoms.ts';
import { decodeSaid } from './assistant.ts';
import { type CallIds, createCallIds } from './call-ids.ts';
import { decodeContent, textInstead } from './content.ts';
import { toProvider } from './provider-fields.ts';
import { saidShape } from './shapes.ts';

const content = z.union([z.string(), z.array(jsonValue)]).nullish();

export const messageShape = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content }),
  z.looseObject({ role: z.literal('user'), content }),
  saidShape.extend({ role: z.literal('assistant') }),
  z.looseObject({
    role: z.enum(['tool', 'function']),
    content,
    tool_call_id: label.nullish(),
    name: z.string().nullish(),
  }),
]);

type WireMessage = z.infer<typeof messageShape>;

export function decodeMessages(messages: readonly WireMessage[]): Message[] {
  const ids = createCallIds(idsIn(messages));
  return messages.map((message) => decodeMessage(message, ids));
}

function decodeMessage(message: WireMessage, ids: CallIds): Message {
  switch (message.role) {
    case 'system':
    case 'developer': {
      const { role, content, ...rest } = message;
      const kept = role === 'developer' ? { ...rest, role } : rest;
      const parts = decodeContent(content).map((part) =>
        part.type === 'text' ? part : textInstead(part),
      );
      return { role: 'system', content: parts, ...toProvider(objectOf(kept)) };
    }
    case 'user': {
      const { role, content, ...rest } = message;
      return { role, content: decodeContent(content), ...toProvider(objectOf(rest)) };
    }
    case 'assistant': {
      const { name, ...said } = message;
      const parts = decodeSaid(said, () => ids.fresh());
      for (const part of parts) if (part.type === 'tool_call') ids.opened(part.id, part.name);
      const own = typeof name === 'string' ? toProvider({ name }) : {};
      return { role: 'assistant', content: parts, ...own };
    }
    case 'tool':
    case 'function': {
      const { role: _, content, tool_call_id, name, ...rest } = message;
      const result: ToolResultPart = {
        type: 'tool_result',
        ...ids.resultOf(tool_call_id, name),
        content: decodeContent(content).map(resultPart),
        ...toProvider(objectOf(rest)),
      };
      return { role: 'tool', content: [result] };
    }
    default:
      return message satisfies never;
  }
}

function resultPart(part: ReturnType<typeof decodeContent>[number]): TextPart | ImagePart {
  return part.type === 'opaque' ? textInstead(part) : part;
}

function idsIn(messages: readonly WireMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { id } of message.tool_calls ?? []) if (id) ids.add(id);
    if (message.role === 'tool' && message.tool_call_id) ids.add(message.tool_call_id);
  }
  return ids;
}
