import {
  type AssistantPart,
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type OpaquePart,
  type TextPart,
  type ToolCallPart,
} from '@forge/core';
import { argumentsObject } from '../shared/call-arguments.ts';
import { readDataUrl } from '../shared/data-url.ts';
import { fromProvider } from './provider-fields.ts';
import { wireName } from './wire-name.ts';

/** The block for a part of a reply. Nothing for a part of another wire. */
export function encodeAssistantPart(part: AssistantPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return encodeText(part);
    case 'reasoning':
      return {
        ...fromProvider(part),
        type: 'thinking',
        thinking: part.text,
        signature: part.signature ?? '',
      };
    case 'tool_call':
      return encodeToolCall(part);
    case 'opaque':
      return encodeOpaque(part);
    default:
      return part satisfies never;
  }
}

export function encodeText(part: TextPart): JsonObject {
  return { ...fromProvider(part), type: 'text', text: part.text };
}

export function encodeToolCall(part: ToolCallPart): JsonObject {
  return {
    ...fromProvider(part),
    type: 'tool_use',
    id: part.id,
    name: part.name,
    input: argumentsObject(part),
  };
}

export function encodeImage(part: ImagePart): JsonObject {
  return { ...fromProvider(part), type: 'image', source: imageSource(part) };
}

/** Other wires' parts mean nothing here. */
export function encodeOpaque(part: OpaquePart): JsonObject | undefined {
  return part.wire === wireName && isJsonObject(part.value) ? part.value : undefined;
}

/** URLs are fetched by the provider, who does not take `data:` ones. */
function imageSource({ mediaType, source }: ImagePart): JsonObject {
  if ('data' in source) return base64(mediaType, source.data);
  const inline = readDataUrl(source.url);
  if (inline === undefined) return { type: 'url', url: source.url };
  return base64(inline.mediaType, inline.data);
}

function base64(mediaType: string, data: string): JsonObject {
  return { type: 'base64', media_type: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data };
}
