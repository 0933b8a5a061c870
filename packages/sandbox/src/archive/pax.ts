import { badArchive } from './bad-archive.ts';
import { decodeText } from './tar-header.ts';

/** Reads the records of a pax header: `<length> <key>=<value>\n`, one after the other. */
export function readPax(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    const space = bytes.indexOf(' ', at);
    const digits = space < 0 || space - at > 10 ? '' : bytes.toString('latin1', at, space);
    const end = /^\d+$/.test(digits) ? at + Number(digits) : 0;
    const equals = bytes.indexOf('=', space);
    if (end > bytes.length || equals < 0 || equals >= end || bytes[end - 1] !== 10) {
      throw badArchive('an extended header is damaged.');
    }
    const key = bytes.toString('latin1', space + 1, equals);
    // Only what is used has to be text: others carry file attributes in any bytes.
    const value = bytes.subarray(equals + 1, end - 1);
    records.set(key, usedKeys.has(key) ? decodeText(value) : '');
    at = end;
  }
  return records;
}

const usedKeys: ReadonlySet<string> = new Set(['path', 'linkpath', 'size']);

/** The bytes of a pax header. */
export function writePax(records: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest;
    // The length counts its own digits.
    while (length !== rest + String(length).length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return Buffer.from(lines.join(''));
}
