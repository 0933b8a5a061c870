import type { ImagePart, TextPart } from '../messages/message.ts';
import { text } from '../messages/message.ts';

/**
 * What a tool returns when text or JSON will not do, such as an image.
 *
 * @example
 * run: async () => new ToolOutput([text('the page'), { type: 'image', mediaType: 'image/png', source: { data } }])
 */
export class ToolOutput {
  readonly content: (TextPart | ImagePart)[];

  constructor(content: readonly (TextPart | ImagePart)[]) {
    this.content = [...content];
  }
}

/** Anything a tool returned, as the content of a result. Text stays text, the rest becomes JSON. */
export function toContent(value: unknown): (TextPart | ImagePart)[] {
  if (value instanceof ToolOutput) return value.content;
  if (value === undefined) return [text('')];
  if (typeof value === 'string') return [text(value)];
  return [text(JSON.stringify(value) ?? '')];
}
