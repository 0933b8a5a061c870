import { readTar } from './read-tar.ts';
import type { ArchiveLimits } from './tar-entry.ts';
import { writeTar } from './write-tar.ts';

/**
 * A tar stream with only what may be unpacked, written anew: what the `tar` inside a sandbox reads
 * is what was checked here, whatever tricks the first bytes knew. Fails as `readTar` does, before
 * the entry that is wrong.
 */
export function safeTar(
  source: AsyncIterable<Uint8Array>,
  limits?: ArchiveLimits,
): AsyncGenerator<Uint8Array, void, void> {
  return writeTar(readTar(source, limits));
}
