import {
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolResultPart,
  text,
} from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import { asList, asText, otherFields } from '../shared/lenient.ts';
import { parseJson } from '../shared/parse-json.ts';
import { objectField } from '../shared/provider-fields.ts';
import { camelKeys } from './camel-keys.ts';
import { decodeImage, encodeImage } from './image-part.ts';
import { geminiFields, withGeminiFields } from './own-fields.ts';

const partFields = new Set(['functionResponse']);
const responseFields = new Set(['id', 'name', 'response', 'parts']);

/**
 * A tool's result. `{ output: text }` and `{ error: text }` are Gemini's own words for plain
 * results; any other object becomes its JSON text and goes out again as that object.
 */
export function decodeFunctionResponse(
  part: JsonObject,
  callIdFor: (response: { id: string | undefined; name: string }) => string,
): ToolResultPart {
  const response = isJsonObject(part.functionResponse) ? camelKeys(part.functionResponse) : {};
  const name = asText(response.name) ?? '';
  const { images, others } = decodeMedia(response.parts);
  const { said, isError, structured } = decodeOutput(response.response ?? {});
  return {
    type: 'tool_result',
    callId: callIdFor({ id: asText(response.id) || undefined, name }),
    name,
    content: [...(said === '' ? [] : [text(said)]), ...images],
    ...(isError && { isError: true }),
    ...withGeminiFields({
      structured: structured || undefined,
      media: others.length > 0 ? others : undefined,
      response: otherFields(response, responseFields),
      part: otherFields(part, partFields),
    }),
  };
}

/** `withImages: false` leaves images out, for models that only take them beside the result. */
export function encodeFunctionResponse(
  result: ToolResultPart,
  { sendId, withImages }: { sendId: boolean; withImages: boolean },
): JsonObject {
  const fields = geminiFields(result);
  const media = [
    ...(withImages ? resultImages(result).map(encodeImage) : []),
    ...asList(fields.media),
  ];
  return {
    ...objectField(fields, 'part'),
    functionResponse: {
      ...objectField(fields, 'response'),
      ...(sendId && { id: result.callId }),
      name: result.name,
      response: encodeOutput(result),
      ...(media.length > 0 && { parts: media }),
    },
  };
}

export function resultImages(result: ToolResultPart): ImagePart[] {
  return result.content.filter((part) => part.type === 'image');
}

function encodeOutput(result: ToolResultPart): JsonObject {
  const said = result.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
  if (geminiFields(result).structured === true) {
    const value = parseJson(said);
    if (isJsonObject(value)) return value;
  }
  return result.isError === true ? { error: said } : { output: said };
}

function decodeOutput(response: JsonValue): {
  said: string;
  isError: boolean;
  structured: boolean;
} {
  if (!isJsonObject(response)) {
    const said = typeof response === 'string' ? response : JSON.stringify(response);
    return { said, isError: false, structured: false };
  }
  if (isEmpty(response)) return { said: '{}', isError: false, structured: true };
  const [key, ...more] = Object.keys(response);
  const alone = more.length === 0 && key !== undefined ? response[key] : undefined;
  const isError = key === 'error' && alone !== undefined;
  if ((isError || key === 'output') && typeof alone === 'string') {
    return { said: alone, isError, structured: false };
  }
  return { said: JSON.stringify(response), isError, structured: true };
}

function decodeMedia(parts: JsonValue | undefined): { images: ImagePart[]; others: JsonValue[] } {
  const images: ImagePart[] = [];
  const others: JsonValue[] = [];
  for (const part of asList(parts)) {
    const image = isJsonObject(part) ? decodeImage(camelMedia(part)) : undefined;
    if (image === undefined) others.push(part);
    else images.push(image);
  }
  return { images, others };
}

/** A part with its media's fields in camelCase. */
export function camelMedia(part: JsonObject): JsonObject {
  const renamed = camelKeys(part);
  const { inlineData, fileData } = renamed;
  if (isJsonObject(inlineData)) return { ...renamed, inlineData: camelKeys(inlineData) };
  if (isJsonObject(fileData)) return { ...renamed, fileData: camelKeys(fileData) };
  return renamed;
}
