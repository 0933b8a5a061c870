import { writePax } from './pax.ts';
import type { TarEntry } from './tar-entry.ts';
import { blockSize, paddingOf, writeHeader } from './tar-header.ts';

/** An entry to be written, with a content of exactly `size` bytes if it is a file. */
export interface WriteEntry extends TarEntry {
  readonly body?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const typeFlags = { file: '0', hardlink: '1', symlink: '2', folder: '5' } as const;

/** A tar stream in the POSIX format every `tar` reads. */
export async function* writeTar(
  entries: AsyncIterable<WriteEntry> | Iterable<WriteEntry>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const entry of entries) {
    yield* headersOf(entry);
    let written = 0;
    for await (const bytes of entry.body ?? []) {
      written += bytes.length;
      if (written > entry.size) break;
      yield bytes;
    }
    // A file that changed while it was read: whoever wrote the entry has to see to it.
    if (written !== entry.size)
      throw new Error(`${entry.name} is not of the size it was said to be`);
    if (paddingOf(entry.size) > 0) yield Buffer.alloc(paddingOf(entry.size));
  }
  yield Buffer.alloc(2 * blockSize);
}

/** The header of an entry, after a pax header for what does not fit in it. */
function* headersOf({ name, type, link, mode, size, mtime }: TarEntry): Generator<Buffer> {
  const full = type === 'folder' ? `${name}/` : name;
  const pax: Record<string, string> = {};
  if (Buffer.byteLength(full) > 100) pax.path = full;
  if (Buffer.byteLength(link) > 100) pax.linkpath = link;
  if (size > 0o77777777777) pax.size = String(size);
  if (Object.keys(pax).length > 0) {
    const content = writePax(pax);
    yield writeHeader({
      name: 'pax',
      link: '',
      type: 'x',
      mode: 0o644,
      size: content.length,
      mtime,
    });
    yield content;
    yield Buffer.alloc(paddingOf(content.length));
  }
  yield writeHeader({ name: full, link, type: typeFlags[type], mode, size, mtime });
}
