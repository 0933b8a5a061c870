import { closeSync, openSync, readSync, statSync, truncateSync, writeFileSync } from 'node:fs';

/**
 * Keeps a log that a process appends to itself within a size: past it, the end of what there is, at
 * most of that size, becomes `FILE.1` and the file begins anew. The process notices nothing, and may outlive whoever cuts; what
 * it writes between the two steps is lost.
 */
export function cutLog(path: string, maxBytes: number): void {
  try {
    const { size } = statSync(path);
    if (size <= maxBytes) return;
    writeFileSync(`${path}.1`, endOf(path, { size, maxBytes }), { mode: 0o600 });
    truncateSync(path, 0);
  } catch {
    // Removed, or no room for the copy: the next time.
    emptyIfHuge(path, 8 * maxBytes);
  }
}

function endOf(path: string, { size, maxBytes }: { size: number; maxBytes: number }): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    return buffer.subarray(0, readSync(file, buffer, 0, maxBytes, size - maxBytes));
  } finally {
    closeSync(file);
  }
}

/** On a full disk an old log is worth less than the room it takes. */
function emptyIfHuge(path: string, maxBytes: number): void {
  try {
    if (statSync(path).size > maxBytes) truncateSync(path, 0);
  } catch {
    // There is none.
  }
}
