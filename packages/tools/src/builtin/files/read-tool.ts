import { defineTool, type Tool, ToolOutput, text } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import * as z from 'zod';
import { decodeText, looksBinary } from '../../results/decode-text.ts';
import type { Toolbox } from '../toolbox.ts';
import { cutPage, endOfLines } from './cut-page.ts';
import { imageType } from './image-type.ts';
import { readBytes, readWhole } from './read-bytes.ts';

const defaultLines = 2_000;
const mostLines = 1_000_000;
const imageBytes = 5 * 1024 * 1024;
const wideBytes = 1024 * 1024;

const input = z
  .object({
    path: z.string().min(1).describe('File to read, such as "src/main.ts".'),
    offset: z.int().min(1).optional().describe('Line to begin at, counted from 1.'),
    limit: z
      .int()
      .min(1)
      .max(mostLines)
      .optional()
      .describe(`Lines to read. Default ${defaultLines}.`),
    byte_offset: z
      .int()
      .min(0)
      .optional()
      .describe('Byte to begin at instead of a line, for files with very long lines.'),
    line_numbers: z.boolean().optional().describe('Put its number before each line.'),
  })
  .refine(({ offset, byte_offset }) => offset === undefined || byte_offset === undefined, {
    path: ['byte_offset'],
    message: 'give offset or byte_offset, not both',
  });

export function readTool(
  { sandboxOf, results }: Toolbox,
  { maxBytes = 100 * 1024 }: { readonly maxBytes?: number } = {},
): Tool {
  return defineTool({
    name: 'read',
    description: `Reads a file of the workspace: text as it is, an image as an image. Shows at most ${defaultLines} lines and ${Math.floor(maxBytes / 1024)}KB, and says how to read on.`,
    input,
    idempotent: true,
    run: async (args, context) => {
      const sandbox = await sandboxOf(context);
      const { path } = args;
      const page = await readPage(sandbox, { args, maxBytes }, context.signal);
      const special = await showSpecial(sandbox, { path, page }, context.signal);
      if (special instanceof ToolOutput) return special;
      const shown = special === undefined ? page : pageOf(special, args, maxBytes);
      const numbered = args.line_numbers === true && args.byte_offset === undefined;
      const content = numbered ? withNumbers(shown.bytes, args.offset ?? 1) : shown.bytes;
      const body = await results.showWorkspace({ source: path, content, exact: true, whole: true });
      return [body, ...shown.notes.map((note) => `[${note}]`)].join('\n');
    },
  });
}

type Args = z.infer<typeof input>;

interface FilePage {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly notes: readonly string[];
}

async function readPage(
  sandbox: Sandbox,
  { args, maxBytes }: { readonly args: Args; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<FilePage> {
  const { path, offset = 1, limit = defaultLines, byte_offset } = args;
  const part =
    byte_offset === undefined
      ? ({ type: 'lines', from: offset, most: limit + 1 } as const)
      : ({ type: 'bytes', from: byte_offset } as const);
  const read = { sandbox, path, part, maxBytes: maxBytes + 1 };
  const { bytes, size } = await readBytes(read, signal);
  return { size, ...cutPage(bytes, { offset, limit, byteOffset: byte_offset, maxBytes, size }) };
}

/** Images, UTF-16 (its bytes) and what nobody can read. Undefined for plain text. */
async function showSpecial(
  sandbox: Sandbox,
  { path, page }: { readonly path: string; readonly page: FilePage },
  signal: AbortSignal,
): Promise<ToolOutput | Uint8Array | undefined> {
  const { bytes, size } = page;
  const mediaType = imageType(bytes);
  if (mediaType !== undefined && size <= imageBytes) {
    const data = Buffer.from(await readWhole({ sandbox, path, maxBytes: imageBytes }, signal));
    return new ToolOutput([
      text(`${path}: ${mediaType}, ${size} bytes`),
      { type: 'image', mediaType, source: { data: data.toString('base64') } },
    ]);
  }
  const wide = decodeText(bytes).encoding !== 'utf-8';
  if (!wide && !looksBinary(bytes)) return undefined;
  if (size <= wideBytes) {
    const whole = await readWhole({ sandbox, path, maxBytes: wideBytes }, signal);
    const { encoding, text: decoded } = decodeText(whole);
    if (encoding !== 'utf-8') return Buffer.from(decoded.replace(/^\ufeff/, ''));
  }
  const kind = mediaType ?? 'Binary';
  const said = `${path}: ${kind} file of ${size} bytes, not shown. Look at it with a program such as xxd or file.`;
  return new ToolOutput([text(said)]);
}

/** The same page of a file that is not UTF-8, from the whole of it. */
function pageOf(whole: Uint8Array, args: Args, maxBytes: number): FilePage {
  const { offset = 1, limit = defaultLines, byte_offset: byteOffset } = args;
  const size = whole.length;
  const from = byteOffset ?? endOfLines(whole, offset - 1).end;
  const page = cutPage(whole.subarray(from), { offset, limit, byteOffset, maxBytes, size });
  return {
    ...page,
    size,
    notes: [...page.notes, 'The file is UTF-16, shown as UTF-8.'],
  };
}

function withNumbers(content: Uint8Array, first: number): string {
  const lines = decodeText(content).text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => `${first + index}\t${line}`).join('\n');
}
