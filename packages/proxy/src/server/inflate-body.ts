import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import type { WireError } from '@forge/models';
import { brokenEncoding, tooLarge } from './body-faults.ts';

type Inflate = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, bytes: Buffer) => void,
) => void;

const inflaters: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflateEither],
  ['br', brotliDecompress],
  ['zstd', zstdDecompress],
]);

export function isKnownEncoding(encoding: string): boolean {
  return encoding === '' || encoding === 'identity' || inflaters.has(encoding);
}

/** Inflates a whole body of a known encoding off the main thread, to at most `limit` bytes. */
export function inflateBody(
  body: Buffer,
  {
    encoding,
    limit,
    onBody,
    onFault,
  }: {
    readonly encoding: string;
    readonly limit: number;
    readonly onBody: (body: Buffer) => void;
    readonly onFault: (error: WireError) => void;
  },
): void {
  const inflater = inflaters.get(encoding);
  inflater?.(body, { maxOutputLength: limit }, (error, bytes) => {
    if (error === null) onBody(bytes);
    else onFault(isTooLong(error) ? tooLarge(limit) : brokenEncoding(encoding));
  });
}

/** By the standard it is zlib's format; many send bare deflate, which never begins like zlib's. */
function inflateEither(...[bytes, options, done]: Parameters<Inflate>): void {
  const [first = 0, second = 0] = bytes;
  const isZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  (isZlib ? inflate : inflateRaw)(bytes, options, done);
}

function isTooLong(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
