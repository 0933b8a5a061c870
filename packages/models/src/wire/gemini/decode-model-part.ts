import {
  type AssistantPart,
  isJsonObject,
  type JsonObject,
  type TextPart,
  type ToolCallPart,
} from '@forge/core';
import type { CallIds } from '../shared/call-ids.ts';
import { asText, otherFields } from '../shared/lenient.ts';
import { withGeminiFields } from './own-fields.ts';

const textFields = new Set(['text', 'thought', 'thoughtSignature']);
const callPartFields = new Set(['functionCall', 'thoughtSignature']);
const callFields = new Set(['id', 'name', 'args']);

/** A part that holds a call, a thought or words; everything else only Gemini understands. */
export function modelPartKind(part: JsonObject): 'call' | 'thought' | 'text' | 'opaque' {
  if (isJsonObject(part.functionCall)) return 'call';
  if (part.thought === true && (typeof part.text === 'string' || hasNoData(part))) return 'thought';
  if (typeof part.text !== 'string') return 'opaque';
  return part.text === '' && part.thoughtSignature !== undefined ? 'opaque' : 'text';
}

/**
 * One part of a model's turn. A signature stays with the part it came on; a signature on empty
 * text is a part of its own, kept as it is.
 */
export function decodeModelPart(part: JsonObject, ids: CallIds): AssistantPart {
  const signature = asText(part.thoughtSignature);
  switch (modelPartKind(part)) {
    case 'call':
      return decodeCall(part, ids);
    case 'thought':
      return {
        type: 'reasoning',
        text: asText(part.text) ?? '',
        ...(signature !== undefined && { signature }),
        ...withGeminiFields({ part: otherFields(part, textFields) }),
      };
    case 'text':
      return decodeWords(part);
    case 'opaque':
      return { type: 'opaque', wire: 'gemini', value: part };
  }
}

export function decodeWords(part: JsonObject): TextPart {
  return {
    type: 'text',
    text: asText(part.text) ?? '',
    ...withGeminiFields({
      thoughtSignature: asText(part.thoughtSignature),
      part: otherFields(part, textFields),
    }),
  };
}

function decodeCall(part: JsonObject, ids: CallIds): ToolCallPart {
  const call = isJsonObject(part.functionCall) ? part.functionCall : {};
  const name = asText(call.name) ?? '';
  const id = asText(call.id);
  return {
    type: 'tool_call',
    id: id || ids.next(name),
    name,
    args: call.args ?? {},
    ...withGeminiFields({
      thoughtSignature: asText(part.thoughtSignature),
      generatedId: id ? undefined : true,
      call: otherFields(call, callFields),
      part: otherFields(part, callPartFields),
    }),
  };
}

/** A signature may come on a thought that has no text. */
function hasNoData(part: JsonObject): boolean {
  return otherFields(part, textFields) === undefined;
}
