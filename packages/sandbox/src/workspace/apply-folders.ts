import { type OwnedFolder, OwnedFolders } from '../owner/owned-folders.ts';
import type { JournalKey } from './journal-key.ts';
import { applyPrefix } from './workspace-path.ts';

const randomDigits = 16;

/**
 * The folders in a tree that changes are staged in. Their names are sealed, so that one that came with
 * the tree, from a repository say, is told from our own by its name alone, whatever is in it.
 */
export class ApplyFolders {
  readonly #folders: OwnedFolders;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.#folders = new OwnedFolders({ parent: root, kind: applyPrefix });
  }

  create(key: JournalKey): Promise<OwnedFolder> {
    return this.#folders.create((random) => `${random}${key.seal('folder', this.#root, random)}`);
  }

  /** Those that say that their process is dead. */
  abandoned(): Promise<readonly OwnedFolder[]> {
    return this.#folders.abandoned();
  }

  /** Whether this user's Forge made it, in this tree. */
  isOwn({ id }: OwnedFolder, key: JournalKey): boolean {
    const [random, seal] = [id.slice(0, randomDigits), id.slice(randomDigits)];
    return key.isSeal(seal, 'folder', this.#root, random);
  }

  remove(folder: OwnedFolder): Promise<void> {
    return this.#folders.remove(folder);
  }
}
