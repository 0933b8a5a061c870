import type { Command, ExecResult, Sandbox } from '@forge/sandbox';
import { wholeCharacters } from '../../results/decode-text.ts';

/** A command that runs on while the model does something else. */
export interface Job {
  readonly id: string;
  readonly label: string;
  /** Set when it has ended. */
  result(): ExecResult | undefined;
  /** What it printed from that byte on, as far as it is still kept. */
  outputFrom(cursor: number): JobOutput;
  /** Resolves when there is output past the cursor or it has ended, or when the signal aborts. */
  news(cursor: number, signal: AbortSignal): Promise<void>;
  kill(): void;
}

export interface JobOutput {
  readonly bytes: Uint8Array;
  /** Where the bytes begin: past the cursor if what was there is no longer kept. */
  readonly from: number;
  /** The cursor for next time. */
  readonly next: number;
}

/** Bytes kept of each job's output: the last ones. */
const keptBytes = 1024 * 1024;

/** Starts a job. Its output is drained from now on, whether anybody asks for it or not. */
export function startJob({
  id,
  label,
  sandbox,
  command,
}: {
  readonly id: string;
  readonly label: string;
  readonly sandbox: Sandbox;
  readonly command: Command;
}): Job {
  const execution = sandbox.exec(command);
  let chunks: Uint8Array[] = [];
  let from = 0;
  let next = 0;
  let ended: ExecResult | undefined;
  let changed = Promise.withResolvers<void>();
  const tell = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const drain = async () => {
    for await (const { bytes } of execution.output) {
      chunks.push(bytes);
      next += bytes.length;
      if (next - from > 2 * keptBytes) {
        const kept = Buffer.concat(chunks).subarray(-keptBytes);
        chunks = [Buffer.from(kept)];
        from = next - kept.length;
      }
      tell();
    }
  };
  // A stream that breaks ends with its command, whose result says why.
  void drain()
    .catch(() => {})
    .then(async () => {
      ended = await execution.result;
      tell();
    });
  return {
    id,
    label,
    result: () => ended,
    outputFrom: (cursor) => {
      const all = Buffer.concat(chunks);
      chunks = [all];
      const start = Math.min(Math.max(cursor, from), next);
      const rest = all.subarray(start - from);
      // The rest of a character that is half there comes next time.
      const bytes = ended === undefined ? wholeCharacters(rest) : rest;
      const first = start + bytes.byteOffset - rest.byteOffset;
      return { bytes, from: first, next: first + bytes.length };
    },
    news: async (cursor, signal) => {
      const aborted = Promise.withResolvers<void>();
      const onAbort = () => aborted.resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        while (ended === undefined && next <= cursor && !signal.aborted) {
          await Promise.race([changed.promise, aborted.promise]);
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    kill: () => execution.kill(),
  };
}
