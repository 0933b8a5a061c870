import {
  type ImagePart,
  isJsonObject,
  type JsonValue,
  type OpaquePart,
  type TextPart,
} from '@forge/core';
import * as z from 'zod';
import { objectOf } from '../shared/json-fields.ts';
import { type ChatDialect, defaultDialect } from './dialect.ts';
import { decodeImage, encodeImage } from './image.ts';
import { fromProvider, ownFields, toProvider, wireName } from './provider-fields.ts';

export type WireContent = string | readonly JsonValue[] | null | undefined;

const textShape = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Content as any message may have it. Parts this codec has no word for are opaque. */
export function decodeContent(content: WireContent): (TextPart | ImagePart | OpaquePart)[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(decodePart);
}

function decodePart(part: JsonValue): TextPart | ImagePart | OpaquePart {
  if (typeof part === 'string') return { type: 'text', text: part };
  const read = textShape.safeParse(part);
  if (read.success) {
    const { type, text, ...rest } = read.data;
    return { type, text, ...toProvider(objectOf(rest)) };
  }
  return decodeImage(part) ?? { type: 'opaque', wire: wireName, value: part };
}

/**
 * For places that hold text only: another part becomes its JSON as text, so that a model of
 * another wire sees something, and is itself again on the way back.
 */
export function textInstead(part: OpaquePart | ImagePart): TextPart {
  const value = part.type === 'opaque' ? part.value : encodeImage(part, defaultDialect);
  return { type: 'text', text: JSON.stringify(value), provider: { [wireName]: { part: value } } };
}

/** One plain text is a string, which every server takes; nothing is the empty string. */
export function encodeContent(
  parts: readonly (TextPart | ImagePart | OpaquePart)[],
  dialect: ChatDialect,
): JsonValue {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1 && first.type === 'text' && first.text !== '' && isPlain(first)) {
    return first.text;
  }
  if (dialect.flattensText && parts.every((part) => part.type === 'text')) {
    return parts.map((part) => part.text).join('');
  }
  return parts.flatMap((part) => encodePart(part, dialect));
}

function encodePart(part: TextPart | ImagePart | OpaquePart, dialect: ChatDialect): JsonValue[] {
  switch (part.type) {
    case 'text': {
      const { part: original } = ownFields(part.provider);
      if (isJsonObject(original)) return [original];
      return [{ ...fromProvider(part.provider, dialect), type: 'text', text: part.text }];
    }
    case 'image':
      return [encodeImage(part, dialect)];
    case 'opaque':
      return part.wire === wireName ? [part.value] : [];
    default:
      return part satisfies never;
  }
}

function isPlain(part: TextPart): boolean {
  const { provider } = part;
  return (
    provider === undefined || (provider.cache_control === undefined && !(wireName in provider))
  );
}
