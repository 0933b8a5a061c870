import {
  type AssistantPart,
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type OpaquePart,
  type TextPart,
  type ToolResultPart,
  type UserMessage,
} from '@forge/core';
import * as z from 'zod';
import { unknownImageType } from '../shared/data-url.ts';
import { jsonValue } from '../shared/schema-atoms.ts';
import { toProvider } from './provider-fields.ts';
import {
  fail,
  inside,
  optionalJson,
  optionalString,
  type Place,
  readList,
  readObject,
} from './read-object.ts';
import { textOfBlock } from './text-of-block.ts';
import { wireName } from './wire-name.ts';

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const thinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: optionalString,
});
const toolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: optionalString,
  name: z.string(),
  input: optionalJson,
});
const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: optionalString,
  content: optionalJson,
  is_error: z.boolean().nullish(),
});
const imageBlock = z.object({ type: z.literal('image'), source: jsonValue });
const base64Source = z.object({
  type: z.literal('base64'),
  media_type: z.string(),
  data: z.string(),
});
const urlSource = z.object({ type: z.literal('url'), url: z.string() });

export type UserPart = UserMessage['content'][number];

/** Content as a list of blocks: text alone is one text block, nothing is none. */
export function blocksOf(content: unknown, place: Place): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return readList(content, place);
}

export function decodeAssistantBlock(block: unknown, place: Place): AssistantPart {
  switch (typeOf(block)) {
    case 'text':
      return decodeText(block, place);
    case 'thinking': {
      const { fields, rest } = readObject(thinkingBlock, block, place);
      const { thinking, signature } = fields;
      return {
        type: 'reasoning',
        text: thinking,
        ...(signature && { signature }),
        ...toProvider(rest),
      };
    }
    case 'tool_use': {
      const { fields, rest } = readObject(toolUseBlock, block, place);
      return {
        type: 'tool_call',
        id: fields.id || madeUpId(place),
        name: fields.name,
        args: fields.input ?? {},
        ...toProvider(rest),
      };
    }
    default:
      return opaque(block, place);
  }
}

/** A block of a user's turn that is not a tool result. */
export function decodeUserBlock(block: unknown, place: Place): UserPart {
  switch (typeOf(block)) {
    case 'text':
      return decodeText(block, place);
    case 'image':
      return decodeImage(block, place) ?? opaque(block, place);
    default:
      return opaque(block, place);
  }
}

/**
 * A tool result. The wire does not repeat the name of the tool, so `nameOf` looks it up by id. A
 * block in it that is neither text nor image becomes a text part that keeps it whole, so that it
 * goes back as it was here and can be read as text elsewhere.
 */
export function decodeToolResult(
  block: unknown,
  { place, nameOf }: { place: Place; nameOf: (id: string) => string },
): ToolResultPart {
  const { fields, rest } = readObject(toolResultBlock, block, place);
  const callId = fields.tool_use_id ?? '';
  const within = inside(place, 'content');
  return {
    type: 'tool_result',
    callId,
    name: nameOf(callId),
    content: blocksOf(fields.content, within).map((inner, at) =>
      decodeResultBlock(inner, inside(within, at)),
    ),
    ...(typeof fields.is_error === 'boolean' && { isError: fields.is_error }),
    ...toProvider(rest),
  };
}

export function decodeText(block: unknown, place: Place): TextPart {
  const { fields, rest } = readObject(textBlock, block, place);
  return { type: 'text', text: fields.text, ...toProvider(rest) };
}

export function typeOf(block: unknown): string | undefined {
  return isJsonObject(block) && typeof block.type === 'string' ? block.type : undefined;
}

function decodeResultBlock(block: unknown, place: Place): TextPart | ImagePart {
  if (typeOf(block) === 'text') return decodeText(block, place);
  const image = typeOf(block) === 'image' ? decodeImage(block, place) : undefined;
  if (image !== undefined) return image;
  const whole = object(block, place);
  return { type: 'text', text: textOfBlock(whole), ...toProvider({ block: whole }) };
}

/** Nothing for a source that is neither data nor a URL, such as an uploaded file. */
function decodeImage(block: unknown, place: Place): ImagePart | undefined {
  const { fields, rest } = readObject(imageBlock, block, place);
  const at = inside(place, 'source');
  switch (typeOf(fields.source)) {
    case 'base64': {
      const { media_type, data } = readObject(base64Source, fields.source, at).fields;
      return { type: 'image', mediaType: media_type, source: { data }, ...toProvider(rest) };
    }
    case 'url': {
      const { url } = readObject(urlSource, fields.source, at).fields;
      return { type: 'image', mediaType: unknownImageType, source: { url }, ...toProvider(rest) };
    }
    default:
      return undefined;
  }
}

function opaque(block: unknown, place: Place): OpaquePart {
  return { type: 'opaque', wire: wireName, value: object(block, place) };
}

function object(block: unknown, place: Place): JsonObject {
  return isJsonObject(block) ? block : fail(place, 'expected a content block');
}

/** The same for the same position, so that decoding twice gives the same calls. */
function madeUpId({ path }: Place): string {
  return `toolu_${path.replace(/[^0-9]+/g, '_').replace(/^_/, '')}`;
}
