import type { ImagePart, JsonObject, Message, ToolMessage, ToolResultPart } from '@forge/core';
import { encodeSaid } from './assistant.ts';
import { encodeContent } from './content.ts';
import type { ChatDialect } from './dialect.ts';
import { fromProvider } from './provider-fields.ts';

/**
 * One message each, but for tool results: each result is a message of its own. The results of a
 * turn must stand together, so images taken out of them follow after the last.
 */
export function encodeMessages(messages: readonly Message[], dialect: ChatDialect): JsonObject[] {
  const encoded: JsonObject[] = [];
  let taken: TakenImage[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      encoded.push(...message.content.map((result) => encodeResult(result, dialect)));
      taken.push(...takeImages(message, dialect));
      continue;
    }
    if (taken.length > 0) encoded.push(encodeTaken(taken, dialect));
    taken = [];
    encoded.push(encodeMessage(message, dialect));
  }
  if (taken.length > 0) encoded.push(encodeTaken(taken, dialect));
  return encoded;
}

function encodeMessage(message: Exclude<Message, ToolMessage>, dialect: ChatDialect): JsonObject {
  const own = fromProvider(message.provider, dialect);
  switch (message.role) {
    case 'system':
      return { role: 'system', ...own, content: encodeContent(message.content, dialect) };
    case 'user':
      return { ...own, role: 'user', content: encodeContent(message.content, dialect) };
    case 'assistant':
      return { ...own, ...encodeSaid(message.content, dialect) };
    default:
      return message satisfies never;
  }
}

function encodeResult(result: ToolResultPart, dialect: ChatDialect): JsonObject {
  const { callId, name, content, provider } = result;
  const kept =
    dialect.toolResultImages === 'inline'
      ? content
      : content.filter((part) => part.type === 'text');
  return {
    ...fromProvider(provider, dialect),
    role: 'tool',
    tool_call_id: callId,
    ...(name === '' ? {} : { name }),
    content: encodeContent(kept, dialect),
  };
}

interface TakenImage {
  readonly callId: string;
  readonly image: ImagePart;
}

function takeImages(message: ToolMessage, dialect: ChatDialect): TakenImage[] {
  if (dialect.toolResultImages === 'inline') return [];
  return message.content.flatMap(({ callId, content }) =>
    content.flatMap((part) => (part.type === 'image' ? [{ callId, image: part }] : [])),
  );
}

function encodeTaken(taken: readonly TakenImage[], dialect: ChatDialect): JsonObject {
  const parts = taken.flatMap(({ callId, image }) => [
    { type: 'text' as const, text: `Image in the result of call ${callId}:` },
    image,
  ]);
  return { role: 'user', content: encodeContent(parts, dialect) };
}
