import type { ImagePart } from '@forge/core';
import { readDataUrl } from '../shared/data-url.ts';

/** Ollama takes images as base64 and does not say of what type: the first bytes do. */
const beginnings: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

export function decodeImage(value: string): ImagePart {
  const { mediaType, data } = readDataUrl(value) ?? { mediaType: undefined, data: value };
  const known = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
  return { type: 'image', mediaType: mediaType ?? known ?? 'image/png', source: { data } };
}

/** The base64 data, or nothing if the image is somewhere else: Ollama fetches nothing. */
export function imageData({ source }: ImagePart): string | undefined {
  return 'data' in source ? source.data : readDataUrl(source.url)?.data;
}
