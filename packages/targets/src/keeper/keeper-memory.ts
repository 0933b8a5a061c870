import { randomUUID } from 'node:crypto';
import {
  type KeeperState,
  type ReleaseRecord,
  readKeeperState,
  writeKeeperState,
} from './keeper-state.ts';

/** What a keeper knows, in its file before it counts, so that the next keeper can go on from there. */
export class KeeperMemory {
  readonly #folder: string;
  #state: KeeperState;

  constructor(folder: string) {
    this.#folder = folder;
    this.#state = readKeeperState(folder) ?? {
      ...{ v: 1, mark: randomUUID(), host: '127.0.0.1', port: 0, releases: {} },
    };
  }

  get state(): KeeperState {
    return this.#state;
  }

  /** Throws if it cannot be written; nothing is changed then. */
  save(change: Partial<KeeperState>): void {
    const next = { ...this.#state, ...change };
    writeKeeperState(this.#folder, next);
    this.#state = next;
  }

  /** For what is true even if it cannot be written now. */
  keep(change: Partial<KeeperState>): void {
    this.#state = { ...this.#state, ...change };
    try {
      this.save({});
    } catch {
      // The disk is full. The next change is written again.
    }
  }

  /** The releases, with this one as it is now. */
  with(record: ReleaseRecord): Pick<KeeperState, 'releases'> {
    return { releases: { ...this.#state.releases, [record.spec.id]: record } };
  }

  without(id: string): Pick<KeeperState, 'releases'> {
    const { [id]: _, ...releases } = this.#state.releases;
    return { releases };
  }
}
