import {
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  text,
} from '@forge/core';
import { defined } from '../shared/json-fields.ts';
import { encodeImage, encodeText } from './encode-content.ts';
import { fromProvider, ownFields } from './provider-fields.ts';

/** What stands in for a result that is not in the history. */
export const missingResult = '[no result was recorded for this call]';
/** What stands in for the words of a failure that has none. */
export const emptyError = '[failed without a message]';

export interface EncodedResult {
  readonly block: JsonObject;
  /** What may not stand inside the block and goes after all results of the turn. */
  readonly after: readonly JsonObject[];
}

/**
 * The `tool_result` for a call. This API refuses blank text, and for errors no content and
 * anything but text; images of an error follow the results.
 */
export function encodeResult(
  { id }: ToolCallPart,
  result: ToolResultPart | undefined,
): EncodedResult {
  if (result === undefined) {
    const block = { type: 'tool_result', tool_use_id: id, content: missingResult, is_error: true };
    return { block, after: [] };
  }
  const parts = result.content.filter(saysSomething);
  const inside = result.isError === true ? parts.filter(isPlainText) : parts;
  const after = result.isError === true ? parts.filter((part) => !isPlainText(part)) : [];
  if (result.isError === true && inside.length === 0) inside.push(text(emptyError));
  const block = defined({
    ...fromProvider(result),
    type: 'tool_result',
    tool_use_id: id,
    content: encodeParts(inside),
    is_error: result.isError,
  });
  return { block, after: after.map(encodePart) };
}

/** A result whose call is not in the history is told as text, since it may not be sent as one. */
export function tellResult(result: ToolResultPart): readonly JsonObject[] {
  const of = result.name === '' ? 'a tool' : result.name;
  return [
    encodeText(text(`[result of an earlier call of ${of}]`)),
    ...result.content.filter(saysSomething).map(encodePart),
  ];
}

/** Blank text is refused wherever it stands. */
export function saysSomething(part: { readonly type: string; readonly text?: string }): boolean {
  return part.type !== 'text' || (part.text ?? '').trim() !== '';
}

/** Plain text alone goes as a string, which every server that speaks this wire understands. */
function encodeParts(parts: readonly (TextPart | ImagePart)[]) {
  const [first] = parts;
  if (first === undefined) return undefined;
  if (parts.length === 1 && first.type === 'text' && first.provider === undefined) {
    return first.text;
  }
  return parts.map(encodePart);
}

function encodePart(part: TextPart | ImagePart): JsonObject {
  if (part.type === 'image') return encodeImage(part);
  return wholeBlock(part) ?? encodeText(part);
}

function isPlainText(part: TextPart | ImagePart): boolean {
  return part.type === 'text' && wholeBlock(part) === undefined;
}

/** A text part may stand for a whole block of another type: see `decodeToolResult`. */
function wholeBlock(part: TextPart): JsonObject | undefined {
  const { block } = ownFields(part);
  return isJsonObject(block) ? block : undefined;
}
