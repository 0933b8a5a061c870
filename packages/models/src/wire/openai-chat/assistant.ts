import {
  type AssistantPart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type OpaquePart,
  type TextPart,
} from '@forge/core';
import * as z from 'zod';
import { isEmpty, objectOf } from '../shared/json-fields.ts';
import { decodeContent, encodeContent, textInstead } from './content.ts';
import type { ChatDialect } from './dialect.ts';
import { ownFields, wireName } from './provider-fields.ts';
import type { Said } from './shapes.ts';
import { decodeCall, decodeFunctionCall, encodeCall } from './tool-call.ts';

const refusalShape = z.object({ type: z.literal('refusal'), refusal: z.string() });

/**
 * What a model said, as parts: reasoning, content, what only this wire knows, calls. The wire does
 * not tell their order. Message fields without a word here are one opaque part without `type`;
 * content parts without a word are opaque parts with theirs.
 */
export function decodeSaid(said: Said, newId: (name: string) => string): AssistantPart[] {
  const { role: _, content, refusal, tool_calls, function_call, ...rest } = said;
  const { reasoning_content: __, reasoning: ___, reasoning_text: ____, ...unknown } = rest;
  const parts: AssistantPart[] = [];
  const thought = reasoningOf(said);
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  parts.push(...decodeContent(content).map(assistantPart));
  if (refusal) parts.push(refusalPart(refusal));
  const foreignCalls: JsonValue[] = [];
  const calls: AssistantPart[] = [];
  for (const call of tool_calls ?? []) {
    const part = decodeCall(call, newId);
    if (part === undefined) foreignCalls.push(objectOf(call));
    else calls.push(part);
  }
  if (function_call) calls.push(decodeFunctionCall(function_call, newId));
  const kept = {
    ...Object.fromEntries(
      Object.entries(objectOf(unknown)).filter(([, value]) => !isNothing(value)),
    ),
    ...(foreignCalls.length > 0 ? { tool_calls: foreignCalls } : {}),
  };
  if (!isEmpty(kept)) parts.push({ type: 'opaque', wire: wireName, value: kept });
  return [...parts, ...calls];
}

/** Servers spell it three ways, and some send two of them at once. */
export function reasoningOf(said: Said): string {
  return said.reasoning_content || said.reasoning || said.reasoning_text || '';
}

/** Servers fill in every field they know: `annotations: []`, `audio: null`. */
export function isNothing(value: JsonValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function assistantPart(part: ReturnType<typeof decodeContent>[number]): AssistantPart {
  if (part.type === 'image') return textInstead(part);
  if (part.type !== 'opaque') return part;
  const read = refusalShape.safeParse(part.value);
  return read.success ? refusalPart(read.data.refusal) : part;
}

export function refusalPart(text: string): TextPart {
  return { type: 'text', text, provider: { [wireName]: { refusal: true } } };
}

/** The fields of an assistant message. `content` is null when there is something else instead. */
export function encodeSaid(parts: readonly AssistantPart[], dialect: ChatDialect): JsonObject {
  const content: (TextPart | OpaquePart)[] = [];
  const refusals: string[] = [];
  const thoughts: string[] = [];
  const calls: JsonValue[] = [];
  let own: JsonObject = {};
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        if (isRefusal(part)) refusals.push(part.text);
        else content.push(part);
        break;
      case 'reasoning':
        if (part.text !== '') thoughts.push(part.text);
        break;
      case 'tool_call':
        calls.push(encodeCall(part, dialect));
        break;
      case 'opaque': {
        if (part.wire !== wireName || !isJsonObject(part.value)) break;
        if (typeof part.value.type === 'string') {
          content.push(part);
          break;
        }
        const { tool_calls, ...rest } = part.value;
        own = { ...own, ...rest };
        if (Array.isArray(tool_calls)) calls.push(...tool_calls);
        break;
      }
      default:
        return part satisfies never;
    }
  }
  const { reasoningField } = dialect;
  const isSilent = content.length === 0 && (calls.length > 0 || refusals.length > 0);
  return {
    ...own,
    role: 'assistant',
    content: isSilent ? null : encodeContent(content, dialect),
    ...(thoughts.length > 0 && reasoningField !== 'none'
      ? { [reasoningField]: thoughts.join('\n\n') }
      : {}),
    ...(refusals.length > 0 ? { refusal: refusals.join('') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

export function isRefusal(part: Pick<TextPart, 'provider'>): boolean {
  return ownFields(part.provider).refusal === true;
}
