import type {
  AssistantMessage,
  JsonObject,
  Message,
  SystemMessage,
  ToolResultPart,
  UserMessage,
} from '@forge/core';
import { objectField } from '../shared/provider-fields.ts';
import { encodeModelPart } from './encode-model-part.ts';
import { encodeFunctionResponse, resultImages } from './function-response.ts';
import { encodeImage } from './image-part.ts';
import { requiresSignedCalls, takesImagesInResults } from './model-generation.ts';
import { geminiFields } from './own-fields.ts';
import { signFirstCall } from './sign-first-call.ts';

type Content = { role: 'user' | 'model'; parts: JsonObject[] };

/**
 * The turns of a request. Gemini wants a turn of calls in one content and all their results,
 * as many as there were calls, in the one right after it; so results move up to their calls
 * in the calls' order, and a call nobody answered gets a result that says so. System messages
 * at the start become the standing instruction; later ones keep their place as the user's words.
 */
export function encodeContents(
  messages: readonly Message[],
  model: string,
): { systemInstruction?: JsonObject; contents: JsonObject[] } {
  const contents: Content[] = [];
  const instruction: JsonObject[] = [];
  const unsentIds = generatedIds(messages);
  const encodeResults = (results: readonly ToolResultPart[]): JsonObject[] => {
    const withImages = takesImagesInResults(model);
    const responses = results.map((result) =>
      encodeFunctionResponse(result, { sendId: !unsentIds.has(result.callId), withImages }),
    );
    return withImages
      ? responses
      : [...responses, ...results.flatMap(resultImages).map(encodeImage)];
  };
  const add = (role: Content['role'], parts: JsonObject[]) => {
    if (parts.length > 0) contents.push({ role, parts });
  };

  for (const { turn, rest, last } of segments(messages)) {
    const parts = turn.flatMap((message) => message.content.map(encodeModelPart)).filter(isSet);
    add('model', requiresSignedCalls(model) ? signFirstCall(parts) : parts);
    const results = answer(turn, { rest, last });
    add('user', encodeResults(results));
    for (const message of rest) {
      if (message.role === 'tool') continue;
      if (message.role === 'system' && contents.length === 0) {
        instruction.push(...encodeUserParts(message));
        continue;
      }
      const said = encodeUserParts(message);
      const before = contents.at(-1);
      if (geminiFields(message).joined === true && before?.role === 'user') {
        before.parts.push(...said);
      } else add('user', said);
    }
  }
  return {
    ...(instruction.length > 0 && { systemInstruction: { parts: instruction } }),
    contents,
  };
}

interface Segment {
  /** A run of the model's messages; empty for what comes before the first. */
  readonly turn: AssistantMessage[];
  /** What others said until the model's next turn. */
  readonly rest: Exclude<Message, AssistantMessage>[];
  /** Nothing comes after this segment. */
  last: boolean;
}

function segments(messages: readonly Message[]): Segment[] {
  const list: Segment[] = [{ turn: [], rest: [], last: true }];
  for (const message of messages) {
    let current = list.at(-1);
    if (message.role !== 'assistant') {
      current?.rest.push(message);
      continue;
    }
    if (current === undefined || current.rest.length > 0 || current.turn.length === 0) {
      if (current !== undefined) current.last = false;
      current = { turn: [], rest: [], last: true };
      list.push(current);
    }
    current.turn.push(message);
  }
  return list;
}

/** The results for a turn's calls in their order, then those that belong to none of them. */
function answer(turn: Segment['turn'], { rest, last }: Omit<Segment, 'turn'>): ToolResultPart[] {
  const given = new Map<string, ToolResultPart[]>();
  for (const message of rest) {
    if (message.role !== 'tool') continue;
    for (const result of message.content) {
      const same = given.get(result.callId);
      if (same === undefined) given.set(result.callId, [result]);
      else same.push(result);
    }
  }
  const isEnd = last && rest.length === 0;
  const ordered = turn.flatMap((message) =>
    message.content.flatMap((part): ToolResultPart[] => {
      if (part.type !== 'tool_call') return [];
      const result = given.get(part.id)?.shift();
      if (result !== undefined) return [result];
      return isEnd ? [] : [unanswered(part)];
    }),
  );
  return [...ordered, ...[...given.values()].flat()];
}

function unanswered(call: { id: string; name: string }): ToolResultPart {
  return {
    type: 'tool_result',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', text: 'No result of this call was recorded.' }],
    isError: true,
  };
}

function encodeUserParts(message: UserMessage | SystemMessage): JsonObject[] {
  return message.content.flatMap((part): JsonObject[] => {
    switch (part.type) {
      case 'text': {
        if (part.text === '') return [];
        return [{ ...objectField(geminiFields(part), 'part'), text: part.text }];
      }
      case 'image':
        return [encodeImage(part)];
      case 'opaque':
        return part.wire === 'gemini' ? [objectField({ value: part.value }, 'value')] : [];
      default:
        return part satisfies never;
    }
  });
}

function generatedIds(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'tool_call' && geminiFields(part).generatedId === true) ids.add(part.id);
    }
  }
  return ids;
}

function isSet(part: JsonObject | undefined): part is JsonObject {
  return part !== undefined;
}
