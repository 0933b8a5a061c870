import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type SystemMessage,
  type ToolMessage,
  type ToolResultPart,
  text,
  type UserMessage,
} from '@forge/core';
import { type CallIds, createCallIds } from '../shared/call-ids.ts';
import { asList, asText, otherFields } from '../shared/lenient.ts';
import { createOpenCalls, type OpenCalls } from '../shared/open-calls.ts';
import { badBody } from '../shared/read-body.ts';
import { decodeModelPart } from './decode-model-part.ts';
import { camelMedia, decodeFunctionResponse } from './function-response.ts';
import { decodeImage } from './image-part.ts';
import { withGeminiFields } from './own-fields.ts';
import { requestPlace } from './places.ts';

type UserPart = UserMessage['content'][number];

const textFields = new Set(['text']);
const userRoles = new Set(['', 'user', 'function']);

/** The turns of a request. One content with results and words becomes two messages. */
export function decodeContents(contents: JsonValue | undefined): Message[] {
  const ids = createCallIds(() => undefined);
  const open = createOpenCalls({ anyName: false });
  return asList(contents).flatMap((value, index): Message[] => {
    const content: JsonValue = typeof value === 'string' ? { parts: [{ text: value }] } : value;
    if (!isJsonObject(content)) throw badBody(requestPlace, `contents.${index} is not an object`);
    const role = (asText(content.role) ?? '').toLowerCase();
    const parts = asList(content.parts).map((part) => readPart(part, index));
    if (role === 'model') return decodeModelTurn(parts, { ids, open });
    if (userRoles.has(role)) return decodeUserTurn(parts, { ids, open });
    throw badBody(requestPlace, `contents.${index}.role is "${role}"; it is "user" or "model"`);
  });
}

/** The standing instruction, which holds text only. */
export function decodeSystemInstruction(value: JsonValue | undefined): SystemMessage | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return { role: 'system', content: [text(value)] };
  const parts = isJsonObject(value) ? asList(value.parts) : [];
  const content = parts.map((part) => {
    const said = isJsonObject(part) ? asText(part.text) : asText(part);
    if (said === undefined) throw badBody(requestPlace, 'systemInstruction takes text parts only');
    return text(said);
  });
  return content.length === 0 ? undefined : { role: 'system', content };
}

interface Open {
  readonly ids: CallIds;
  readonly open: OpenCalls;
}

function decodeModelTurn(parts: readonly JsonObject[], { ids, open }: Open): Message[] {
  if (parts.length === 0) return [];
  const content = parts.map((part) => decodeModelPart(part, ids));
  open.turn(content);
  return [{ role: 'assistant', content }];
}

function decodeUserTurn(parts: readonly JsonObject[], state: Open): Message[] {
  const messages: (UserMessage | ToolMessage)[] = [];
  for (const part of parts) {
    const last = messages.at(-1);
    if (isJsonObject(part.functionResponse)) {
      const result = decodeResult(part, state);
      if (last?.role === 'tool') last.content.push(result);
      else messages.push({ role: 'tool', content: [result] });
      continue;
    }
    if (last?.role === 'user') last.content.push(decodeUserPart(part));
    else {
      const joined = last === undefined ? undefined : true;
      const content = [decodeUserPart(part)];
      messages.push({ role: 'user', content, ...withGeminiFields({ joined }) });
    }
  }
  return messages;
}

function decodeResult(part: JsonObject, { ids, open }: Open): ToolResultPart {
  return decodeFunctionResponse(part, ({ id, name }) => {
    const call = open.answer({ id, name });
    return id ?? call?.id ?? ids.next(name);
  });
}

function decodeUserPart(part: JsonObject): UserPart {
  const said = asText(part.text);
  if (said !== undefined) {
    return { ...text(said), ...withGeminiFields({ part: otherFields(part, textFields) }) };
  }
  return decodeImage(part) ?? { type: 'opaque', wire: 'gemini', value: part };
}

function readPart(value: JsonValue, content: number): JsonObject {
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value))
    throw badBody(requestPlace, `contents.${content} has a part that is no object`);
  return camelMedia(value);
}
