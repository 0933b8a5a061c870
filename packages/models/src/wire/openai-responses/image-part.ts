import { type ImagePart, isJsonObject, type JsonObject } from '@forge/core';
import { readDataUrl, unknownImageType, writeDataUrl } from '../shared/data-url.ts';
import { without } from '../shared/json-fields.ts';
import { objectField, providerWith, unlessEmpty } from './provider-fields.ts';

/** An `input_image` with a URL; `undefined` for one that names an uploaded file. */
export function decodeImage(raw: JsonObject): ImagePart | undefined {
  const url = isJsonObject(raw.image_url) ? raw.image_url.url : raw.image_url;
  if (typeof url !== 'string' || typeof raw.file_id === 'string') return undefined;
  const dropped = ['type', 'image_url', ...Object.keys(raw).filter((name) => isDefault(raw, name))];
  const provider = providerWith(unlessEmpty('part', without(raw, dropped)));
  const inline = readDataUrl(url);
  return inline === undefined
    ? { type: 'image', mediaType: unknownImageType, source: { url }, ...provider }
    : { type: 'image', mediaType: inline.mediaType, source: { data: inline.data }, ...provider };
}

export function encodeImage(part: ImagePart): JsonObject {
  const { source, mediaType } = part;
  const url = 'url' in source ? source.url : writeDataUrl({ mediaType, data: source.data });
  return { type: 'input_image', image_url: url, detail: 'auto', ...objectField(part, 'part') };
}

function isDefault(raw: JsonObject, name: string): boolean {
  return raw[name] === null || (name === 'detail' && raw.detail === 'auto');
}
