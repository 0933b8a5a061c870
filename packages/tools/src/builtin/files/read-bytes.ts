import { ForgeError } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import { runConfined } from '../inside/confined.ts';
import { QuotingError } from '../inside/quoting-error.ts';
import { saidOf } from '../inside/run-inside.ts';

/** The part of a file that is wanted. */
export type Part =
  /** From that line, counted from 1. */
  | { readonly type: 'lines'; readonly from: number; readonly most: number }
  /** From that byte, counted from 0. */
  | { readonly type: 'bytes'; readonly from: number };

/** Opens, looks where it really is, and only then reads, from what it opened. */
const script = `
open
size=$(stat -L -c %s /proc/self/fd/3 2>/dev/null) || size=$(stat -c %s "./$rel") || exit 97
printf '%s\\n' "$size"
case $1$2 in
  lines1) head -n "$3" <&3 | head -c "$4" ;;
  lines*) tail -n "+$2" <&3 | head -n "$3" | head -c "$4" ;;
  bytes1) head -c "$4" <&3 ;;
  bytes*) tail -c "+$2" <&3 | head -c "$4" ;;
esac
`;

/** A part of a file of the workspace, at most so many bytes of it. */
export async function readBytes(
  options: {
    readonly sandbox: Sandbox;
    readonly path: string;
    readonly part: Part;
    readonly maxBytes: number;
  },
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
  const { sandbox, path, part, maxBytes } = options;
  const from = part.type === 'lines' ? part.from : part.from + 1;
  const most = part.type === 'lines' ? part.most : 0;
  const args = [part.type, String(from), String(most), String(maxBytes)];
  const result = await runConfined({ sandbox, path, script, args }, signal);
  const { stdout } = result;
  const end = stdout.indexOf(10);
  const size = Number(new TextDecoder().decode(stdout.subarray(0, Math.max(0, end))));
  if (end <= 0 || !Number.isSafeInteger(size)) {
    throw new QuotingError('tool_failed', {
      said: `${JSON.stringify(path)} could not be read: exit code ${result.exitCode}.`,
      quote: saidOf(result),
    });
  }
  return { bytes: stdout.subarray(end + 1), size };
}

/** A whole file. `too_large` if it has more bytes than that. */
export async function readWhole(
  options: { readonly sandbox: Sandbox; readonly path: string; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const part = { type: 'bytes', from: 0 } as const;
  const { bytes, size } = await readBytes({ ...options, part }, signal);
  if (size > options.maxBytes || size > bytes.length) {
    throw new ForgeError(
      'too_large',
      `${JSON.stringify(options.path)} has ${size} bytes, more than the ${options.maxBytes} that fit here.`,
    );
  }
  return bytes;
}
