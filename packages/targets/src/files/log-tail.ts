import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const blockBytes = 64 * 1024;

/** The last lines of a rotated log, oldest first. None where there is no log. */
export function logTail(path: string, lines: number): string[] {
  const text = readEnd(`${path}.1`) + readEnd(path);
  return text === '' ? [] : text.replace(/\n$/, '').split('\n').slice(-lines);
}

function readEnd(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, blockBytes));
    const read = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const text = buffer.toString('utf8', 0, read);
    // A beginning in the middle of a line is left out.
    return size > blockBytes ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(file);
  }
}
