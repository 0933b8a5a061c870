import { Readable } from 'node:stream';

/** An entry of a tar file as its header says it, sound or not. */
export interface RawEntry {
  readonly name: string;
  /** `0` file, `1` hard link, `2` symbolic link, `3` character device, `5` folder, `6` pipe, `x` pax. */
  readonly type?: string;
  readonly content?: Uint8Array | string;
  readonly link?: string;
  readonly mode?: number;
  /** What the header says, if that is not the content's size. */
  readonly size?: number;
}

/**
 * The bytes of a tar file, written as told. Libraries refuse or mend what a hostile archive has in
 * it; these are the bytes such an archive is made of.
 */
export function tarBytes(entries: readonly RawEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, entry.size ?? content.length), content, padding(content.length)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** The same as a stream. */
export function tarStream(entries: readonly RawEntry[]): Readable {
  return Readable.from([tarBytes(entries)]);
}

/** A pax header for the entry that follows it: `path`, `linkpath`, `size`. */
export function paxEntry(records: Readonly<Record<string, string>>): RawEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest;
    while (length !== rest + String(length).length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return { name: 'pax', type: 'x', content: lines.join('') };
}

function header(entry: RawEntry, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(entry.name, 0, 100);
  block.write(octal(entry.mode ?? (entry.type === '5' ? 0o755 : 0o644), 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.fill(' ', 148, 156);
  block.write(entry.type ?? '0', 156);
  block.write(entry.link ?? '', 157, 100);
  block.write('ustar\u000000', 257);
  if (entry.type === '3') {
    block.write(octal(1, 7), 329);
    block.write(octal(3, 7), 337);
  }
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padding(length: number): Buffer {
  return Buffer.alloc((512 - (length % 512)) % 512);
}
