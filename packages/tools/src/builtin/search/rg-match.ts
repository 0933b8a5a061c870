import * as z from 'zod';

const textOrBytes = z.union([z.object({ text: z.string() }), z.object({ bytes: z.base64() })]);

const message = z.object({
  type: z.enum(['match', 'context']),
  data: z.object({
    path: textOrBytes,
    lines: textOrBytes,
    line_number: z.int(),
    submatches: z.array(z.object({ start: z.int() })),
  }),
});

/** A line that was found, or one around it. */
export interface FoundLine {
  readonly type: 'match' | 'context';
  readonly file: string;
  readonly line: number;
  readonly content: string;
}

/** A line of `rg --json`, if it is a match or context. What cannot be read is passed over. */
export function readRgMessage(bytes: Uint8Array): FoundLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  const parsed = message.safeParse(value);
  if (!parsed.success) return undefined;
  const { type, data } = parsed.data;
  const [first] = data.submatches;
  return {
    type,
    file: textOf(data.path).replace(/^\.\//, ''),
    line: data.line_number,
    content: shorten(textOf(data.lines).replace(/\r?\n$/, ''), first?.start ?? 0),
  };
}

function textOf(value: z.infer<typeof textOrBytes>): string {
  return 'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString();
}

const longestLine = 400;

/** The part of a long line around what was found. */
export function shorten(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const from = Math.max(0, Math.min(at - longestLine / 4, line.length - longestLine));
  const before = from > 0 ? '…' : '';
  const after = from + longestLine < line.length ? '…' : '';
  return `${before}${line.slice(from, from + longestLine).toWellFormed()}${after}`;
}
