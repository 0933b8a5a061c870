import { badArchive } from './bad-archive.ts';

/** A header block as it stands, before longer names are put in. */
export interface TarHeader {
  readonly name: string;
  readonly link: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly mtime: number;
}

export const blockSize = 512;

/** Reads a header block; undefined for a block of zeros, which ends an archive. */
export function readHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (readNumber(block, 148, 8) !== checksum(block)) {
    throw badArchive('a header has the wrong checksum.');
  }
  const name = readText(block, 0, 100);
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? readText(block, 345, 155) : '';
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    link: readText(block, 157, 100),
    type: String.fromCharCode(block[156] ?? 0),
    mode: readNumber(block, 100, 8),
    size: readNumber(block, 124, 12),
    mtime: readNumber(block, 136, 12),
  };
}

/** A header block. Names of more than 100 bytes are cut: a pax header has to say them before. */
export function writeHeader({ name, link, type, mode, size, mtime }: TarHeader): Buffer {
  const block = Buffer.alloc(blockSize);
  block.set(Buffer.from(name).subarray(0, 100), 0);
  block.write(octal(mode & 0o7777, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(Math.min(size, 0o77777777777), 11), 124);
  block.write(octal(Math.min(Math.max(0, Math.trunc(mtime)), 0o77777777777), 11), 136);
  block.write(type, 156);
  block.set(Buffer.from(link).subarray(0, 100), 157);
  block.write('ustar\u000000', 257);
  block.write(`${octal(checksum(block), 6)}\0 `, 148);
  return block;
}

/** The zeros that fill a content of this size up to whole blocks. */
export function paddingOf(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

/** Text that has to be UTF-8: a name that changed on the way would be another file's. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const shown = JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 200));
    throw badArchive(`a name in it is not UTF-8: ${shown} (${String(cause)}). Rename that file.`);
  }
}

function readText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return decodeText(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits, or (where the first bit is set) the number itself in big-endian order. */
function readNumber(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  const first = field[0] ?? 0;
  if (first === 0x80) {
    let value = 0;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    if (Number.isSafeInteger(value)) return value;
    throw badArchive('a header has a number that is too large.');
  }
  if (first === 0xff) return 0; // Before 1970: only times are.
  const digits = field
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .trimStart();
  if (!/^[0-7]*$/.test(digits)) throw badArchive('a header has a number that is none.');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** The sum of all bytes, with the checksum's own place taken for spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 32;
  for (let at = 0; at < blockSize; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
