import type { ImagePart, JsonObject } from '@forge/core';
import * as z from 'zod';
import { readDataUrl, unknownImageType, writeDataUrl } from '../shared/data-url.ts';
import { isEmpty, objectOf } from '../shared/json-fields.ts';
import type { ChatDialect } from './dialect.ts';
import { fromProvider, ownFields, toProvider } from './provider-fields.ts';

const imageShape = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.union([
    z.string().transform((url) => ({ url })),
    z.looseObject({ url: z.string() }),
  ]),
});

export function decodeImage(part: unknown): ImagePart | undefined {
  const read = imageShape.safeParse(part);
  if (!read.success) return undefined;
  const { type: _, image_url, ...rest } = read.data;
  const { url, ...inner } = image_url;
  const kept = isEmpty(objectOf(inner)) ? rest : { ...rest, image_url: inner };
  return { type: 'image', ...decodeUrl(url), ...toProvider(objectOf(kept)) };
}

function decodeUrl(url: string): Pick<ImagePart, 'mediaType' | 'source'> {
  const inline = readDataUrl(url);
  if (inline === undefined) return { mediaType: unknownImageType, source: { url } };
  return { mediaType: inline.mediaType, source: { data: inline.data } };
}

export function encodeImage(part: ImagePart, dialect: ChatDialect): JsonObject {
  const { source, mediaType, provider } = part;
  const url = 'data' in source ? writeDataUrl({ mediaType, data: source.data }) : source.url;
  const inner = objectOf(ownFields(provider).image_url);
  return {
    ...fromProvider(provider, dialect),
    type: 'image_url',
    image_url: { ...inner, url },
  };
}
