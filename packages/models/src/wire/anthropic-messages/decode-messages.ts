import type { Message, SystemMessage } from '@forge/core';
import * as z from 'zod';
import {
  blocksOf,
  decodeAssistantBlock,
  decodeText,
  decodeToolResult,
  decodeUserBlock,
  typeOf,
} from './decode-content.ts';
import { midConversation } from './mid-conversation.ts';
import { toProvider } from './provider-fields.ts';
import { fail, inRequest, inside, optionalJson, type Place, readObject } from './read-object.ts';

const messageSchema = z.object({ role: z.string(), content: optionalJson });

/**
 * The system prompt, then the conversation. Tool results, which this wire puts into the user's
 * turns, become messages of their own, in place.
 */
export function decodeMessages(body: {
  readonly system: unknown;
  readonly messages: readonly unknown[];
}): readonly Message[] {
  const names = new Map<string, string>();
  const messages: Message[] = [];
  const system = decodeSystem(body.system, inside(inRequest, 'system'));
  if (system.length > 0) messages.push({ role: 'system', content: system });
  body.messages.forEach((value, at) => {
    const place = inside(inside(inRequest, 'messages'), at);
    for (const message of decodeMessage(value, { place, names })) messages.push(message);
  });
  return messages;
}

function decodeMessage(
  value: unknown,
  { place, names }: { place: Place; names: Map<string, string> },
): readonly Message[] {
  const { fields, rest } = readObject(messageSchema, value, place);
  const within = inside(place, 'content');
  switch (fields.role) {
    case 'system': {
      const content = decodeSystem(fields.content, within);
      return [{ role: 'system', content, ...toProvider({ ...midConversation, ...rest }) }];
    }
    case 'user': {
      const [first, ...others] = splitResults(fields.content, { within, names });
      return first === undefined ? [] : [{ ...first, ...toProvider(rest) }, ...others];
    }
    case 'assistant': {
      const content = blocksOf(fields.content, within).map((block, at) =>
        decodeAssistantBlock(block, inside(within, at)),
      );
      for (const part of content) if (part.type === 'tool_call') names.set(part.id, part.name);
      return [{ role: 'assistant', content, ...toProvider(rest) }];
    }
    default:
      return fail(inside(place, 'role'), 'expected user, assistant or system');
  }
}

function decodeSystem(content: unknown, place: Place): SystemMessage['content'] {
  return blocksOf(content, place).map((block, at) => decodeText(block, inside(place, at)));
}

/** A user's turn as messages: runs of results and runs of everything else. */
function splitResults(
  content: unknown,
  { within, names }: { within: Place; names: ReadonlyMap<string, string> },
): Message[] {
  const blocks = blocksOf(content, within);
  if (blocks.length === 0) return [{ role: 'user', content: [] }];
  const messages: Message[] = [];
  blocks.forEach((block, at) => {
    const place = inside(within, at);
    const last = messages.at(-1);
    if (typeOf(block) === 'tool_result') {
      const result = decodeToolResult(block, { place, nameOf: (id) => names.get(id) ?? '' });
      if (last?.role === 'tool') last.content.push(result);
      else messages.push({ role: 'tool', content: [result] });
    } else {
      const part = decodeUserBlock(block, place);
      if (last?.role === 'user') last.content.push(part);
      else messages.push({ role: 'user', content: [part] });
    }
  });
  return messages;
}
