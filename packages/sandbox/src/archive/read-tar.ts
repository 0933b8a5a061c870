import { badArchive, refusedEntry } from './bad-archive.ts';
import { ByteReader } from './byte-reader.ts';
import { EntryRules } from './entry-rules.ts';
import { readPax } from './pax.ts';
import { type ArchiveLimits, defaultArchiveLimits, type ReadEntry } from './tar-entry.ts';
import { blockSize, decodeText, paddingOf, readHeader, type TarHeader } from './tar-header.ts';

/**
 * The entries of a tar stream, one after the other: files, folders and links that stay inside.
 *
 * An archive may come from where it must not be trusted. Whatever would leave the folder it is
 * unpacked in, lead through a link, make a device, or is said in a way that programs read
 * differently (sparse files, global names) is refused with `not_allowed`; what cannot be read, with
 * `invalid_options`; what is over the limits, with `too_large`.
 *
 * Read here because these guards need every header: a parser that hands out entries alone does not
 * show global headers, what they cost, or that the header with a long name was damaged.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = defaultArchiveLimits,
): AsyncGenerator<ReadEntry, void, void> {
  const reader = new ByteReader(source);
  const rules = new EntryRules(limits);
  try {
    for (;;) {
      const header = await nextHeader(reader);
      if (header === undefined) break;
      const entry = rules.check(header);
      let left = header.size;
      const body = (async function* () {
        while (left > 0) {
          const bytes = await reader.some(left);
          if (bytes === undefined) throw badArchive('it ends in the middle of a file.');
          left -= bytes.length;
          yield bytes;
        }
      })();
      if (entry !== undefined) yield { ...entry, body };
      // What was not read is skipped.
      while (left > 0) left -= (await reader.some(left))?.length ?? badEnd();
      await skip(reader, paddingOf(header.size));
    }
    await reader.drain();
  } finally {
    await reader.close();
  }
}

/** Longest name or link that is taken, in bytes. */
const longestName = 16 * 1024;

/** The next header with the longer names that stood before it; undefined at the end. */
async function nextHeader(reader: ByteReader): Promise<TarHeader | undefined> {
  let name: string | undefined;
  let link: string | undefined;
  let size: number | undefined;
  for (;;) {
    const block = await reader.take(blockSize);
    const header = block && readHeader(block);
    if (header === undefined) {
      if (block === undefined) throw badArchive('it ends without the mark of its end.');
      return undefined;
    }
    if (!extensions.has(header.type)) {
      return {
        ...header,
        name: name ?? header.name,
        link: link ?? header.link,
        size: size ?? header.size,
      };
    }
    if (header.size > longestName * 4) throw badArchive('an extended header is too long.');
    const content = (await reader.take(header.size)) ?? badEnd();
    await skip(reader, paddingOf(header.size));
    if (header.type === 'L') name = longText(content);
    else if (header.type === 'K') link = longText(content);
    else {
      const records = readPax(content);
      for (const key of records.keys()) {
        const isGlobal = header.type === 'g' && /^(?:path|linkpath|size)$/.test(key);
        if (isGlobal || key.startsWith('GNU.sparse')) {
          throw refusedEntry(header.name, `sets ${key} in a way that is not read alike everywhere`);
        }
      }
      name = records.get('path') ?? name;
      link = records.get('linkpath') ?? link;
      const told = records.get('size');
      if (told !== undefined) size = readSize(told);
    }
    if ((name?.length ?? 0) > longestName || (link?.length ?? 0) > longestName) {
      throw badArchive('a name in it is too long.');
    }
  }
}

const extensions: ReadonlySet<string> = new Set(['x', 'g', 'L', 'K']);

function longText(content: Buffer): string {
  const end = content.indexOf(0);
  return decodeText(end < 0 ? content : content.subarray(0, end));
}

function readSize(text: string): number {
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw badArchive('an extended header has a size that is none.');
  return size;
}

async function skip(reader: ByteReader, length: number): Promise<void> {
  if (length > 0) (await reader.take(length)) ?? badEnd();
}

function badEnd(): never {
  throw badArchive('it ends in the middle of an entry.');
}
