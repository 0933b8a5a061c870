import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fateOf, ownIdentity, parseIdentity } from './process-identity.ts';

/** A folder of one sandbox. */
export interface OwnedFolder {
  readonly id: string;
  readonly path: string;
}

/**
 * Folders that say in their name which process they belong to, so that they can be removed when it
 * is dead. The name is there with the folder: no crash leaves one that nobody knows the owner of.
 */
export class OwnedFolders {
  readonly #parent: string;
  readonly #kind: string;

  /** `kind` is the first part of the names: `forge-process`. */
  constructor(options: { readonly parent: string; readonly kind: string }) {
    this.#parent = options.parent;
    this.#kind = options.kind;
  }

  /** `idOf` may choose an id, hexadecimal, from the random one that it is given. */
  async create(idOf: (random: string) => string = (random) => random): Promise<OwnedFolder> {
    const id = idOf(randomBytes(8).toString('hex'));
    const path = join(this.#parent, `${this.#kind}-${ownIdentity()}-${id}`);
    await mkdir(path, { mode: 0o700 });
    return { id, path };
  }

  /** Those of this user whose owner is dead. */
  async abandoned(): Promise<readonly OwnedFolder[]> {
    const found: OwnedFolder[] = [];
    for (const name of await readdir(this.#parent).catch(() => [])) {
      if (!name.startsWith(`${this.#kind}-`)) continue;
      const rest = name.slice(this.#kind.length + 1);
      const cut = rest.lastIndexOf('-');
      const identity = parseIdentity(rest.slice(0, cut));
      if (identity === undefined || fateOf(identity) !== 'dead') continue;
      const path = join(this.#parent, name);
      // Others share the folder for temporary files: what is not ours is left alone.
      const about = await lstat(path).catch(() => undefined);
      if (about?.isDirectory() && about.uid === process.getuid?.()) {
        found.push({ id: rest.slice(cut + 1), path });
      }
    }
    return found;
  }

  async remove({ path }: OwnedFolder): Promise<void> {
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}
