import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzipSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { ModelError } from '@forge/models';

type Inflate = (body: Buffer, options: { maxOutputLength: number }) => Buffer;

const ways: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/** A compressed reply, which a backend that was asked for a plain one may still send. */
export function inflate(body: Buffer, encoding: string, maxOutputLength: number): Buffer {
  const way = ways.get(encoding.trim().toLowerCase());
  try {
    if (way !== undefined) return way(body, { maxOutputLength });
  } catch (cause) {
    throw new ModelError(
      { kind: 'bad_response', message: `The backend's ${encoding} reply cannot be unpacked.` },
      { cause },
    );
  }
  throw new ModelError({
    kind: 'bad_response',
    message: `The backend packed its reply as ${encoding}, which was not asked for.`,
  });
}

const streamedWays: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** The same for a stream; undefined where nothing has to be unpacked. */
export function createInflater(encoding: string | undefined): Transform | undefined {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return undefined;
  const way = streamedWays.get(name);
  if (way !== undefined) return way();
  throw new ModelError({
    kind: 'bad_response',
    message: `The backend packed its reply as ${name}, which was not asked for.`,
  });
}
