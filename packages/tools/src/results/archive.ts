import { randomBytes } from 'node:crypto';
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

const headText = 'forge-result ';
const headBytes = Buffer.byteLength(`${headText}${'0'.repeat(32)}\n`);

/**
 * An archive in the store's blobs: results can be read on after a restart and on other machines. A
 * blob is known by what is in it, so a line nobody can guess goes before each result; and blobs
 * without such a line are none of ours and are not read.
 *
 * @example
 * createTools({ sandbox, archive: archiveInBlobs(store) });
 */
export function archiveInBlobs(
  blobs: Blobs,
  { newSalt = () => randomBytes(16) }: { readonly newSalt?: () => Uint8Array } = {},
): ResultArchive {
  return {
    keep: (bytes) => {
      const head = Buffer.from(`${headText}${Buffer.from(newSalt()).toString('hex')}\n`);
      return blobs.putBlob(Buffer.concat([head, bytes]));
    },
    read: async (id, range) => {
      const bytes = await blobs.blob(id);
      if (bytes === undefined || !isResult(bytes)) return undefined;
      return partOf(bytes.subarray(headBytes), range);
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

function isResult(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  return head.length === headBytes && /^forge-result [0-9a-f]{32}\n$/.test(head);
}

function partOf(bytes: Uint8Array, { offset, limit }: ArchiveRange): ArchivedPart {
  return { bytes: bytes.subarray(offset, offset + limit), size: bytes.length };
}
