import type { JsonObject, TextPart } from '@forge/core';
import { without } from '../shared/json-fields.ts';
import { objectField, providerWith, unlessEmpty } from './provider-fields.ts';

export type TextType = 'input_text' | 'output_text';

const textTypes: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text']);

/**
 * A content part that is text, refusals among them; `undefined` for any other. `usual` is the
 * type that needs no remark at this place.
 */
export function decodeText(
  raw: JsonObject,
  usual: TextType,
  marks: JsonObject = {},
): TextPart | undefined {
  const field = raw.type === 'refusal' ? 'refusal' : 'text';
  const value = raw[field];
  if (typeof value !== 'string' || !(textTypes.has(raw.type) || field === 'refusal')) {
    return undefined;
  }
  const dropped = [field, ...Object.keys(raw).filter((name) => isDefault(raw, name, usual))];
  const part = unlessEmpty('part', without(raw, dropped));
  return { type: 'text', text: value, ...providerWith({ ...marks, ...part }) };
}

/** A part that stood for something else (see `decodeResultPart`) becomes that again. */
export function encodeText(part: TextPart, usual: TextType): JsonObject {
  const raw = objectField(part, 'raw');
  if (raw !== undefined) return raw;
  const fields = objectField(part, 'part') ?? {};
  if (fields.type === 'refusal') return { ...fields, refusal: part.text };
  const isOutput = (fields.type ?? usual) === 'output_text';
  const annotations: JsonObject = isOutput ? { annotations: [] } : {};
  return { type: usual, text: part.text, ...annotations, ...fields };
}

function isDefault(raw: JsonObject, name: string, usual: TextType): boolean {
  const value = raw[name];
  if (name === 'type') return value === usual;
  const emptyList = Array.isArray(value) && value.length === 0;
  return (name === 'annotations' || name === 'logprobs') && (emptyList || value === null);
}
