import {
  type AssistantPart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ReasoningPart,
  type ToolCallPart,
} from '@forge/core';
import { argumentsText } from '../shared/call-arguments.ts';
import { contentOf } from './opaque-part.ts';
import { fieldsOf, objectField } from './provider-fields.ts';
import { encodeText } from './text-part.ts';
import { wireName } from './wire-name.ts';

/** An item in the making, before ids are settled. */
export type Draft =
  | {
      readonly kind: 'message';
      readonly item: JsonObject;
      readonly content: JsonObject[];
      readonly needs?: string;
    }
  | { readonly kind: 'call'; readonly item: JsonObject; readonly needs?: string }
  | { readonly kind: 'reasoning'; readonly part: ReasoningPart }
  | { readonly kind: 'opaque'; readonly item: JsonObject };

/**
 * Parts → items in their order. A text is a message of its own unless it says that it continues
 * the one before. Opaque parts of other wires are left out.
 */
export function draftItems(parts: readonly AssistantPart[]): Draft[] {
  const drafts: Draft[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        addContent(drafts, encodeText(part, 'output_text'), fieldsOf(part));
        break;
      case 'reasoning':
        drafts.push({ kind: 'reasoning', part });
        break;
      case 'tool_call':
        drafts.push({ kind: 'call', item: encodeCall(part), ...needsOf(fieldsOf(part)) });
        break;
      case 'opaque':
        if (part.wire === wireName) addOpaque(drafts, part.value);
        break;
      default:
        part satisfies never;
    }
  }
  return drafts;
}

function addOpaque(drafts: Draft[], value: JsonValue): void {
  if (!isJsonObject(value)) return;
  const content = contentOf(value);
  if (content === undefined) drafts.push({ kind: 'opaque', item: value });
  else addContent(drafts, content.raw, content.marks);
}

function addContent(drafts: Draft[], content: JsonObject, marks: JsonObject): void {
  const last = drafts.at(-1);
  if (marks.continues === true && last?.kind === 'message') {
    last.content.push(content);
    return;
  }
  const fields = isJsonObject(marks.message) ? marks.message : {};
  const item = { type: 'message', role: 'assistant', ...fields };
  drafts.push({ kind: 'message', item, content: [content], ...needsOf(marks) });
}

function encodeCall(part: ToolCallPart): JsonObject {
  return {
    type: 'function_call',
    call_id: part.id,
    name: part.name,
    arguments: argumentsText(part),
    ...objectField(part, 'item'),
  };
}

function needsOf(marks: JsonObject): { needs?: string } {
  return typeof marks.needs === 'string' ? { needs: marks.needs } : {};
}
