import {
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type TextPart,
  type ToolResultPart,
} from '@forge/core';
import { itemFields } from './assistant-decoder.ts';
import { decodeImage, encodeImage } from './image-part.ts';
import { objectField, providerWith, unlessEmpty } from './provider-fields.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { callOutputItem } from './schemas.ts';
import { decodeText, encodeText } from './text-part.ts';

/** `callNames` are the calls seen so far: the wire names the call by its id alone. */
export function decodeResult(options: {
  readonly item: JsonObject;
  readonly at: string;
  readonly callNames: ReadonlyMap<string, string>;
  readonly context: DecodeContext;
}): ToolResultPart {
  const { item, at, callNames, context } = options;
  const { known, rest } = readKnown({ schema: callOutputItem, body: item, at, kind: context.kind });
  const said = typeof item.name === 'string' ? item.name : '';
  return {
    type: 'tool_result',
    callId: known.call_id,
    name: callNames.get(known.call_id) ?? said,
    content: decodeOutput(known.output),
    ...providerWith(unlessEmpty('item', itemFields(rest))),
  };
}

/** Whether a result is an error cannot be said on this wire: its text has to say it. */
export function encodeResult(part: ToolResultPart): JsonObject {
  return {
    type: 'function_call_output',
    call_id: part.callId,
    output: encodeOutput(part.content),
    ...objectField(part, 'item'),
  };
}

function decodeOutput(output: JsonValue | undefined): ToolResultPart['content'] {
  if (output === undefined || output === null || output === '') return [];
  if (typeof output === 'string') return [{ type: 'text', text: output }];
  if (!isPartList(output)) return [{ type: 'text', text: JSON.stringify(output) }];
  return output.map(decodeResultPart);
}

/** A file or another part that results cannot hold stands as a text that names it. */
function decodeResultPart(raw: JsonObject): TextPart | ImagePart {
  const image = raw.type === 'input_image' ? decodeImage(raw) : undefined;
  return (
    image ??
    decodeText(raw, 'input_text') ?? {
      type: 'text',
      text: `[${String(raw.type)}]`,
      ...providerWith({ raw }),
    }
  );
}

/** One plain text goes as text, which every server takes. */
function encodeOutput(content: ToolResultPart['content']): JsonValue {
  const [first] = content;
  if (first === undefined) return '';
  const plain = content.length === 1 && first.type === 'text' && first.text !== '';
  if (
    plain &&
    objectField(first, 'raw') === undefined &&
    objectField(first, 'part') === undefined
  ) {
    return first.text;
  }
  return content.map((part) =>
    part.type === 'image' ? encodeImage(part) : encodeText(part, 'input_text'),
  );
}

function isPartList(output: JsonValue): output is readonly JsonObject[] {
  return (
    Array.isArray(output) &&
    output.every((part: JsonValue) => isJsonObject(part) && typeof part.type === 'string')
  );
}
