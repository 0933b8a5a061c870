import { type ImagePart, isJsonObject, type JsonObject } from '@forge/core';
import { readDataUrl } from '../shared/data-url.ts';
import { asText, otherFields } from '../shared/lenient.ts';
import { objectField } from '../shared/provider-fields.ts';
import { geminiFields, withGeminiFields } from './own-fields.ts';

const partFields = new Set(['inlineData', 'fileData']);
const inlineFields = new Set(['mimeType', 'data']);
const fileFields = new Set(['mimeType', 'fileUri']);

/** The image in a part, if that is what it holds. Other media has no neutral word. */
export function decodeImage(part: JsonObject): ImagePart | undefined {
  const { inlineData, fileData } = part;
  const blob = isJsonObject(inlineData) ? inlineData : isJsonObject(fileData) ? fileData : {};
  const mediaType = asText(blob.mimeType);
  if (mediaType === undefined || !/^image\//i.test(mediaType)) return undefined;
  const isInline = blob === inlineData;
  const place = asText(isInline ? blob.data : blob.fileUri);
  if (place === undefined) return undefined;
  return {
    type: 'image',
    mediaType,
    source: isInline ? { data: place } : { url: place },
    ...withGeminiFields({
      blob: otherFields(blob, isInline ? inlineFields : fileFields),
      part: otherFields(part, partFields),
    }),
  };
}

export function encodeImage(image: ImagePart): JsonObject {
  const fields = geminiFields(image);
  const blob = objectField(fields, 'blob');
  const part = objectField(fields, 'part');
  if ('data' in image.source) {
    const { data } = image.source;
    return { ...part, inlineData: { ...blob, mimeType: image.mediaType, data } };
  }
  const { url } = image.source;
  const inline = readDataUrl(url);
  if (inline !== undefined) {
    return { ...part, inlineData: { ...blob, mimeType: inline.mediaType, data: inline.data } };
  }
  return { ...part, fileData: { ...blob, mimeType: image.mediaType, fileUri: url } };
}
