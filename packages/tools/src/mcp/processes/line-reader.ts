import { ForgeError } from '@forge/core';

const newline = 0x0a;

/**
 * Cuts bytes into lines. Linear however a line is split up, and a line past the limit is an error
 * rather than memory.
 */
export function createLineReader(
  onLine: (line: string) => void,
  mostBytes: number,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      parts.push(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      held = 0;
      onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (from === chunk.length) return;
    parts.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > mostBytes) {
      throw new ForgeError(
        'too_large',
        `The server sent a message of more than ${mostBytes} bytes.`,
      );
    }
  };
}
