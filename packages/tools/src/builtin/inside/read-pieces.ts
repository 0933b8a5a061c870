import type { ExecResult, Execution } from '@forge/sandbox';

/** A piece longer than this is passed over. */
const longestPiece = 1024 * 1024;

/**
 * Reads the standard output of a command piece by piece, as it comes. `take` says whether it wants
 * more; if not, the command is killed. Nothing is held but the piece under way.
 */
export async function readPieces({
  execution,
  end,
  take,
}: {
  readonly execution: Execution;
  /** The byte every piece ends with. */
  readonly end: number;
  /** Undefined for a piece that was too long. */
  readonly take: (piece: Uint8Array | undefined) => boolean;
}): Promise<{ readonly result: ExecResult; readonly stopped: boolean }> {
  let held: Uint8Array[] = [];
  let size = 0;
  let stopped = false;
  const give = (last: Uint8Array): boolean => {
    const piece = held.length === 0 ? last : Buffer.concat([...held, last]);
    const tooLong = size + last.length > longestPiece;
    held = [];
    size = 0;
    return take(tooLong ? undefined : piece);
  };
  try {
    for await (const { stream, bytes } of execution.output) {
      if (stream !== 'stdout') continue;
      let at = 0;
      for (let next = bytes.indexOf(end); next !== -1 && !stopped; next = bytes.indexOf(end, at)) {
        stopped = !give(bytes.subarray(at, next));
        at = next + 1;
      }
      if (stopped) break;
      size += bytes.length - at;
      if (size <= longestPiece) held.push(bytes.slice(at));
      else held = [];
    }
    if (!stopped && size > 0) give(new Uint8Array());
  } catch (error) {
    execution.kill();
    throw error;
  }
  if (stopped) execution.kill();
  return { result: await execution.result, stopped };
}
