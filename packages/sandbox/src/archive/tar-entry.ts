/** One thing in an archive. */
export interface TarEntry {
  /** Relative, with single slashes and no `.` or `..` in it. */
  readonly name: string;
  readonly type: 'file' | 'folder' | 'symlink' | 'hardlink';
  /** Where a link leads: of a symlink as it was written, of a hard link the name of an entry. */
  readonly link: string;
  /** Permission bits. */
  readonly mode: number;
  /** Of a file's content, in bytes. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** An entry being read. Its body has to be read, or left, before the next entry comes. */
export interface ReadEntry extends TarEntry {
  readonly body: AsyncIterable<Uint8Array>;
}

/** What one archive may hold. */
export interface ArchiveLimits {
  readonly entries: number;
  /** Of all contents together. */
  readonly bytes: number;
}

export const defaultArchiveLimits: ArchiveLimits = {
  entries: 500_000,
  bytes: 16 * 1024 ** 3,
};
