import { defineTool, type Tool, ToolResolutionError } from '@forge/core';
import * as z from 'zod';
import type { Results } from './create-results.ts';
import { decodeText, wholeCharacters } from './decode-text.ts';
import { markUntrusted } from './mark-untrusted.ts';

/**
 * A tool with which a model pages through a result that was too long to be shown. Pages are always
 * marked as data: by then nobody knows any more what they are made of.
 */
export function readResult({ archive, maxChars, newNonce }: Results): Tool {
  return defineTool({
    name: 'read_result',
    description:
      'Reads on in a result that was too long to be shown whole. The result said which id and offset to use.',
    input: z.object({
      id: z.string().min(1).max(200).describe('The id that the result gave.'),
      offset: z.int().min(0).default(0).describe('Byte to begin at.'),
      limit: z.int().min(1).optional().describe(`Bytes to read, at most ${maxChars}.`),
    }),
    idempotent: true,
    run: async ({ id, offset, limit = maxChars }) => {
      // Room for the pieces of a character at both ends.
      const range = { offset, limit: Math.max(8, Math.min(limit, maxChars)) };
      const part = await archive.read(id, range);
      if (part === undefined) {
        throw new ToolResolutionError(
          `There is no result "${id.slice(0, 80)}", or it is no longer kept. Call the tool again that gave it.`,
        );
      }
      const { size } = part;
      if (offset >= size) return `[The result ends at byte ${size}. There is nothing after it.]`;
      const bytes = wholeCharacters(part.bytes);
      const start = bytes.byteOffset - part.bytes.byteOffset + offset;
      const end = start + bytes.length;
      const place = `bytes ${start} to ${end} of ${size}`;
      const { text } = decodeText(bytes);
      const page = markUntrusted({ text, source: place, nonce: newNonce() });
      const more = end < size ? `Read on with offset ${end}.` : 'This is the end of the result.';
      return `${page}\n[${place}. ${more}]`;
    },
  });
}
