import type { AssistantPart, JsonObject, JsonValue } from '@forge/core';
import { without } from '../shared/json-fields.ts';
import { givenId, makeUpId } from './made-up-ids.ts';
import { opaque, opaqueContent } from './opaque-part.ts';
import { providerWith, unlessEmpty } from './provider-fields.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { decodeReasoning } from './reasoning-item.ts';
import { callItem, messageItem } from './schemas.ts';
import { openSeal } from './sealed-reasoning.ts';
import { decodeText } from './text-part.ts';

export interface AssistantDecoder {
  push(item: JsonObject, at: string): AssistantPart[];
  /** What `provider` keeps of a call; for streams, which learn of a call before its arguments. */
  callMarks(item: JsonObject): { provider?: JsonObject };
  /** The same of a message, for its first part. */
  messageMarks(item: JsonObject): JsonObject;
  /** Remembers the reasoning that the items after it depend on. */
  noteReasoning(item: JsonObject): void;
}

/**
 * Items a model wrote in one turn → parts, in their order.
 *
 * The API refuses an item under its id when the reasoning it was written after is not sent with
 * it. So what follows a reasoning item notes that id as `needs`, and is sent without an id of its
 * own once that reasoning is gone.
 */
export function createAssistantDecoder(context: DecodeContext): AssistantDecoder {
  let reasoningId: string | undefined;

  function itemMarks(name: string, rest: JsonObject): JsonObject {
    const fields = itemFields(rest);
    const dependent = fields.id !== undefined && reasoningId !== undefined;
    return { ...unlessEmpty(name, fields), ...(dependent ? { needs: reasoningId } : {}) };
  }

  function callMarks(item: JsonObject): { provider?: JsonObject } {
    return providerWith(itemMarks('item', without(item, Object.keys(callItem.shape))));
  }

  function messageMarks(item: JsonObject): JsonObject {
    return itemMarks('message', without(item, Object.keys(messageItem.shape)));
  }

  function noteReasoning(item: JsonObject): void {
    reasoningId = givenId(item.id) ?? sealedId(item.encrypted_content);
  }

  function message(item: JsonObject, at: string): AssistantPart[] {
    const { known } = readKnown({ schema: messageItem, body: item, at, kind: context.kind });
    const { content } = known;
    const parts =
      typeof content === 'string' ? [{ type: 'output_text', text: content }] : (content ?? []);
    if (parts.length === 0) return [opaque(item)];
    const first = messageMarks(item);
    return parts.map((raw, index) => {
      const marks: JsonObject = index === 0 ? first : { continues: true };
      return decodeText(raw, 'output_text', marks) ?? opaqueContent(raw, marks);
    });
  }

  function call(item: JsonObject, at: string): AssistantPart {
    const { known } = readKnown({ schema: callItem, body: item, at, kind: context.kind });
    return {
      type: 'tool_call',
      id: known.call_id ?? givenId(item.id) ?? makeUpId('call', context.newId()),
      name: known.name,
      args: known.arguments ?? '',
      ...callMarks(item),
    };
  }

  return {
    callMarks,
    messageMarks,
    noteReasoning,
    push(item, at) {
      switch (item.type) {
        case 'message':
        case undefined:
        case null:
          return isMessage(item) ? message(item, at) : [opaque(item)];
        case 'function_call':
          return [call(item, at)];
        case 'reasoning':
          noteReasoning(item);
          return [decodeReasoning(item)];
        default:
          return [opaque(item)];
      }
    },
  };
}

/** The id of reasoning that went through our own encoder, which gave it another one. */
function sealedId(proof: JsonValue | undefined): string | undefined {
  return typeof proof === 'string' ? givenId(openSeal(proof)?.shape.id) : undefined;
}

/** An item is a message if it says so, or says nothing and has a role. */
export function isMessage(item: JsonObject): boolean {
  return item.type === 'message' || (item.type == null && typeof item.role === 'string');
}

/** The fields of an item worth keeping: not ids made up here, not a status that is the usual one. */
export function itemFields(rest: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rest).filter(([name, value]) => !isUsual(name, value)));
}

function isUsual(name: string, value: JsonValue): boolean {
  if (value === null || name === 'content') return true;
  if (name === 'id') return givenId(value) === undefined;
  return name === 'status' && value === 'completed';
}
