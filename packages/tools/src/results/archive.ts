import { ForgeError } from '@forge/core';

/** Where the whole of a result is kept when the model is shown a part. */
export interface ResultArchive {
  /** Keeps the bytes and gives an id that cannot be guessed. */
  keep(bytes: Uint8Array): Promise<string>;
  /** Undefined if there is nothing under that id, or nothing any more. */
  read(id: string, range: ArchiveRange): Promise<ArchivedPart | undefined>;
}

export interface ArchiveRange {
  readonly offset: number;
  readonly limit: number;
}

export interface ArchivedPart {
  readonly bytes: Uint8Array;
  /** Of the whole result. */
  readonly size: number;
}

/** Blobs known by what is in them, as the store keeps them. */
export interface Blobs {
  putBlob(bytes: Uint8Array): Promise<string>;
  blob(hash: string): Promise<Uint8Array | undefined>;
}

/**
 * An archive in the store's blobs: results can be read on after a restart and on other machines.
 *
 * @example
 * createTools({ sandbox, archive: archiveInBlobs(store) });
 */
export function archiveInBlobs(blobs: Blobs): ResultArchive {
  return {
    keep: (bytes) => blobs.putBlob(bytes),
    read: async (id, range) => {
      const bytes = await blobs.blob(id);
      return bytes && partOf(bytes, range);
    },
  };
}

/**
 * An archive in memory. Past its size the results that were read or kept longest ago go; one larger
 * than all of it is refused with `too_large`.
 */
export function createMemoryArchive({
  maxBytes = 64 * 1024 * 1024,
  newId = () => globalThis.crypto.randomUUID().replaceAll('-', ''),
}: {
  readonly maxBytes?: number;
  readonly newId?: () => string;
} = {}): ResultArchive {
  const kept = new Map<string, Uint8Array>();
  let total = 0;
  return {
    async keep(bytes) {
      if (bytes.length > maxBytes) {
        throw new ForgeError(
          'too_large',
          `A result of ${bytes.length} bytes does not fit an archive of ${maxBytes}. Give createMemoryArchive a larger maxBytes.`,
        );
      }
      const id = newId();
      kept.set(id, bytes.slice());
      total += bytes.length;
      for (const [oldest, { length }] of kept) {
        if (total <= maxBytes) break;
        kept.delete(oldest);
        total -= length;
      }
      return id;
    },
    async read(id, range) {
      const bytes = kept.get(id);
      if (bytes === undefined) return undefined;
      kept.delete(id);
      kept.set(id, bytes); // Last read, last to go.
      return partOf(bytes, range);
    },
  };
}

function partOf(bytes: Uint8Array, { offset, limit }: ArchiveRange): ArchivedPart {
  return { bytes: bytes.subarray(offset, offset + limit), size: bytes.length };
}
