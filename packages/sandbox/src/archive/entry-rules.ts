import { ForgeError } from '@forge/core';
import { refusedEntry } from './bad-archive.ts';
import type { ArchiveLimits, TarEntry } from './tar-entry.ts';
import type { TarHeader } from './tar-header.ts';

/**
 * Says of each entry whether it may be unpacked, by what came before it: nothing may be written
 * through a link of the same archive, and a hard link may only lead to a file of it.
 */
export class EntryRules {
  readonly #limits: ArchiveLimits;
  readonly #kinds = new Map<string, TarEntry['type']>();
  #bytes = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  /** The entry as it may be unpacked, or undefined for the folder itself. */
  check(header: TarHeader): TarEntry | undefined {
    const type = typeOf(header);
    const name = insideName(header.name, header.name);
    if (name === '') {
      if (type === 'folder') return undefined;
      throw refusedEntry(header.name, 'has no name');
    }
    this.#count(header);
    this.#checkParents(name, header.name);
    const entry: TarEntry = {
      name,
      type,
      link: this.#linkOf(type, header),
      mode: header.mode & 0o777, // No set-user-id, no sticky bit.
      size: type === 'file' ? header.size : 0,
      mtime: header.mtime,
    };
    if (type !== 'file' && header.size !== 0) {
      throw refusedEntry(header.name, 'has a content, but is no file');
    }
    this.#kinds.set(name, type);
    return entry;
  }

  #count({ size }: TarHeader): void {
    this.#bytes += size;
    const { entries, bytes } = this.#limits;
    if (this.#kinds.size >= entries) {
      throw new ForgeError('too_large', `The archive has more than ${entries} entries.`);
    }
    if (this.#bytes > bytes) {
      throw new ForgeError('too_large', `The archive unpacks to more than ${bytes} bytes.`);
    }
  }

  #checkParents(name: string, shown: string): void {
    for (let end = name.indexOf('/'); end > 0; end = name.indexOf('/', end + 1)) {
      const kind = this.#kinds.get(name.slice(0, end));
      if (kind !== undefined && kind !== 'folder') {
        throw refusedEntry(shown, `would be written through ${name.slice(0, end)}, a ${kind}`);
      }
    }
  }

  #linkOf(type: TarEntry['type'], { name, link }: TarHeader): string {
    if (type === 'symlink') {
      if (link === '' || link.includes('\0')) throw refusedEntry(name, 'is a link to nothing');
      return link;
    }
    if (type !== 'hardlink') return '';
    const target = insideName(link, name);
    if (this.#kinds.get(target) !== 'file') {
      throw refusedEntry(name, `is a hard link to ${JSON.stringify(link)}, no file before it`);
    }
    return target;
  }
}

function typeOf({ type, name }: TarHeader): TarEntry['type'] {
  switch (type) {
    case '0':
    case '7':
      return 'file';
    case '\0':
      return name.endsWith('/') ? 'folder' : 'file';
    case '1':
      return 'hardlink';
    case '2':
      return 'symlink';
    case '5':
      return 'folder';
    default:
      throw refusedEntry(name, `is neither file, folder nor link (type ${JSON.stringify(type)})`);
  }
}

/** A name without `.` and double slashes; one that leads out is refused. */
function insideName(name: string, shown: string): string {
  if (name.startsWith('/')) throw refusedEntry(shown, 'has an absolute path');
  if (name.includes('\0')) throw refusedEntry(shown, 'has a NUL in its name');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refusedEntry(shown, 'leads out of its folder');
  if (parts.length > 256) throw refusedEntry(shown, 'lies too deep');
  return parts.join('/');
}
