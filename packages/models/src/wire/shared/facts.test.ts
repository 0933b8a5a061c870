import { isJsonObject, type JsonValue, type Message } from '@forge/core';

type Part = Message['content'][number];

/** What a conversation says, however a wire cuts it into messages. Reasoning may be left out. */
export function factsOf(messages: readonly Message[]) {
  const parts = messages.flatMap((message): readonly Part[] => message.content);
  return {
    texts: textsOf(parts),
    calls: callsOf(parts),
    results: parts.flatMap((part) =>
      part.type === 'tool_result'
        ? [{ callId: part.callId, name: part.name, texts: textsOf(part.content) }]
        : [],
    ),
    images: parts.flatMap((part) => (part.type === 'image' ? [part.source] : [])),
  };
}

/** What a reply says. */
export function partFacts(parts: readonly Part[]) {
  return {
    texts: textsOf(parts),
    thoughts: parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])),
    calls: callsOf(parts),
  };
}

function textsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

function callsOf(parts: readonly Part[]) {
  return parts.flatMap((part) =>
    part.type === 'tool_call'
      ? [{ id: part.id, name: part.name, args: argumentsOf(part.args) }]
      : [],
  );
}

function argumentsOf(args: JsonValue): JsonValue {
  return isJsonObject(args) ? args : JSON.parse(String(args));
}
