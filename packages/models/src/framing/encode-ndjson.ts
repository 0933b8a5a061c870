import type { Frame } from '../wire/wire.ts';

/** One line. JSON may only have line breaks between its tokens, where a space does as well. */
export function encodeNdjson({ data }: Frame): string {
  return `${data.replace(/[\r\n]+/g, ' ')}\n`;
}
