import { isJsonObject, type JsonObject, type JsonValue, type ReasoningPart } from '@forge/core';
import { unsealed } from '../shared/proof-of-origin.ts';
import { givenId, isMadeUp } from './made-up-ids.ts';
import { fieldsOf, objectField, providerWith } from './provider-fields.ts';

/** Between the texts of one item: its summary is a list of paragraphs. */
export const partSeparator = '\n\n';

const lists = [
  { field: 'summary', type: 'summary_text' },
  { field: 'content', type: 'reasoning_text' },
] as const;

/**
 * A reasoning item taken apart: its texts joined, its proof, and all else as `shape`, in which
 * each text is replaced by its length. `restoreReasoning` puts it together again.
 */
export interface ReasoningPieces {
  readonly text: string;
  readonly signature?: string;
  readonly shape: JsonObject;
}

export function takeApartReasoning(item: JsonObject): ReasoningPieces {
  const { encrypted_content: proof, type: _, ...rest } = item;
  const texts: string[] = [];
  const shape: Record<string, JsonValue> = { ...rest };
  for (const { field, type } of lists) {
    const list = item[field];
    if (!Array.isArray(list)) continue;
    shape[field] = list.filter(isJsonObject).map((part) => {
      if (!isPlainText(part, type)) return part;
      texts.push(part.text);
      return part.text.length;
    });
  }
  const text = texts.join(partSeparator);
  return typeof proof === 'string' && proof !== ''
    ? { text, signature: proof, shape }
    : { text, shape: proof === undefined ? shape : { ...shape, encrypted_content: proof } };
}

/** The item of those pieces, unchanged if the text is; else with the text as its one summary. */
export function restoreReasoning({ text, signature, shape }: ReasoningPieces): JsonObject {
  const proof = proofOf(signature);
  const lengths = lists.flatMap(({ field }) => listOf(shape[field])).filter(isLength);
  const expected = lengths.reduce((sum, length) => sum + length, 0);
  const separators = Math.max(0, lengths.length - 1) * partSeparator.length;
  if (expected + separators !== text.length) {
    const { content: _, ...rest } = shape;
    return { ...rest, type: 'reasoning', summary: asSummary(text), ...proof };
  }
  let start = 0;
  const restored: Record<string, JsonValue> = {};
  for (const { field, type } of lists) {
    if (!Array.isArray(shape[field])) continue;
    restored[field] = listOf(shape[field]).map((entry): JsonValue => {
      if (!isLength(entry)) return entry;
      const piece = text.slice(start, start + entry);
      start += entry + partSeparator.length;
      return { type, text: piece };
    });
  }
  // The API refuses a reasoning item that has no summary list.
  return { summary: [], ...withoutNullSummary(shape), ...restored, type: 'reasoning', ...proof };
}

export function asSummary(text: string): JsonValue[] {
  return text === '' ? [] : [{ type: 'summary_text', text }];
}

/**
 * An item with an id made up here is another model's reasoning that passed through this wire:
 * its shape is ours and means nothing.
 */
export function decodeReasoning(item: JsonObject): ReasoningPart {
  const { text, signature, shape } = takeApartReasoning(item);
  const proof = signature === undefined ? {} : { signature };
  const foreign = typeof item.id === 'string' && isMadeUp(item.id);
  return {
    type: 'reasoning',
    text,
    ...proof,
    ...(foreign ? {} : providerWith({ reasoning: shape })),
  };
}

export type ReplayableReasoning = { readonly item: JsonObject; readonly streamed: boolean };

/**
 * The item to send back for this part. Reasoning items are only ever given back, never made up:
 * `undefined` for reasoning that did not come on this wire, which the API would refuse.
 */
export function replayReasoning(part: ReasoningPart): ReplayableReasoning | undefined {
  const opened = unsealed(part);
  const shape = objectField(opened, 'reasoning');
  if (shape === undefined) return undefined;
  const { text, signature } = opened;
  const pieces = { text, shape, ...(signature === undefined ? {} : { signature }) };
  return { item: restoreReasoning(pieces), streamed: fieldsOf(opened).streamed === true };
}

/** As a server shows it: under its own id if it has one that `claim` grants. */
export function showReasoning(
  part: ReasoningPart,
  claim: (id: string | undefined) => string,
): JsonObject {
  const { text, signature } = part;
  const shape = objectField(part, 'reasoning');
  if (shape === undefined) {
    const summary = asSummary(text);
    return { id: claim(undefined), type: 'reasoning', summary, ...proofOf(signature) };
  }
  const pieces = { text, shape, ...(signature === undefined ? {} : { signature }) };
  return { ...restoreReasoning(pieces), id: claim(givenId(shape.id)) };
}

function proofOf(signature: string | undefined): JsonObject {
  return signature === undefined ? {} : { encrypted_content: signature };
}

function isPlainText(part: JsonObject, type: string): part is { type: string; text: string } {
  if (part.type !== type || typeof part.text !== 'string') return false;
  return Object.keys(part).length === 2;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isLength(value: JsonValue): value is number {
  return typeof value === 'number';
}

function withoutNullSummary(shape: JsonObject): JsonObject {
  const { summary, ...rest } = shape;
  return Array.isArray(summary) ? shape : rest;
}
