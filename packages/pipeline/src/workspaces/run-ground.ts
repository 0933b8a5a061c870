import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ForgeError } from '@forge/core';
import { gitOnRefs, openPrivateGit, openRepository, type PrivateGit } from '@forge/sandbox';
import type { Store } from '@forge/store';
import { reflogNote } from './fork-tree.ts';
import { runRef } from './run-ref.ts';
import { type StartOfRun, startOfRun } from './start-of-run.ts';
import { type Identity, identityEnvironment, messageFor, writeCommit } from './write-commit.ts';

export interface GroundOptions {
  readonly runId: string;
  readonly store: Store;
  readonly now: () => number;
  readonly identity: Identity;
  readonly onStep: (step: KeepStep) => void;
}

/** Between what a keep does; tests end the process there. */
export type KeepStep = 'begun' | 'written' | 'committed' | 'kept';

interface Kept {
  readonly commit: string;
  readonly tree: string;
}

/** What the repository knows of a run: the commit it began with, and its tree as it was kept last. */
export class RunGround {
  readonly git: PrivateGit;
  readonly repo: string;
  /** What the run builds on and its start has not. */
  readonly conflicts: StartOfRun['conflicts'];
  readonly #options: GroundOptions;
  readonly #start: Kept;
  /** What the ref says; undefined while there is none. */
  #kept: Kept | undefined;

  private constructor(
    options: GroundOptions,
    found: Pick<RunGround, 'git' | 'repo' | 'conflicts' | 'start'>,
  ) {
    this.#options = options;
    this.git = found.git;
    this.repo = found.repo;
    this.conflicts = found.conflicts;
    this.#start = found.start;
  }

  static async find(options: GroundOptions): Promise<RunGround> {
    const { store, runId, identity } = options;
    const { repo, commit, conflicts } = await startOfRun(store, runId, identity);
    const git = await openPrivateGit(await openRepository(repo));
    try {
      const start = { commit, tree: await treeOf(git, commit) };
      const ground = new RunGround(options, { git, repo, conflicts, start });
      await ground.refresh();
      return ground;
    } catch (error) {
      await git.close();
      throw error;
    }
  }

  get start(): Kept {
    return this.#start;
  }

  /** The last kept tree; where nothing was kept, the start. */
  get last(): Kept {
    return this.#kept ?? this.#start;
  }

  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Reads the ref again. */
  async refresh(): Promise<void> {
    const args = ['rev-parse', '-q', '--verify', runRef(this.#options.runId)];
    const { output } = await gitOnRefs(this.git.repository, { args, codes: [0, 1] });
    const commit = output.toString('utf8').trim();
    this.#kept = commit === '' ? undefined : { commit, tree: await treeOf(this.git, commit) };
  }

  /**
   * Keeps a tree whose objects are written, as one commit on the start; the start itself if it does
   * not differ from that. A tree that is kept already stays as it is, unless its commit is to have
   * another message. `seq_conflict` if somebody else has moved the ref.
   *
   * A crash before the ref moves leaves objects that nobody knows of, and the ref where it was; after
   * it, the ref where it should be.
   */
  async keep(tree: string, message: string, exactly: boolean): Promise<void> {
    const { identity, now, onStep } = this.#options;
    if (tree === this.last.tree && !(exactly && (await this.#needs(message)))) return;
    const at = now();
    const parents = [this.#start.commit];
    const commit =
      tree === this.#start.tree
        ? this.#start.commit
        : await writeCommit(this.git, { tree, parents, message, identity, at });
    onStep('committed');
    await this.#move(commit, { message, at });
    this.#kept = { commit, tree };
    onStep('kept');
  }

  async #needs(message: string): Promise<boolean> {
    const { tree, commit } = this.last;
    if (tree === this.#start.tree) return false;
    const there = await this.git.text({ args: ['show', '-s', '--format=%B', commit] });
    return messageFor(there) !== messageFor(message);
  }

  async #move(commit: string, about: { readonly message: string; readonly at: number }) {
    const ref = runRef(this.#options.runId);
    const expected = this.#kept?.commit ?? '0'.repeat(commit.length);
    const [line = ''] = messageFor(about.message).split('\n');
    const note = reflogNote(about.at, line.slice(0, 200));
    const how = ['update-ref', '--no-deref', '--create-reflog', '-m', note];
    const move = () =>
      gitOnRefs(this.git.repository, {
        args: [...how, ref, commit, expected],
        env: identityEnvironment(this.#options.identity, about.at),
      });
    try {
      await move().catch(async () => {
        await this.#checkUnmoved();
        // Only who works on the run writes this ref: a lock that stays was left by a git that died.
        const folder = dirname(this.git.repository.objects);
        await rm(join(folder, `${ref}.lock`), { force: true });
        await move();
      });
    } catch (error) {
      await this.#checkUnmoved();
      throw error;
    }
  }

  async #checkUnmoved(): Promise<void> {
    const before = this.#kept;
    await this.refresh();
    if (this.#kept?.commit === before?.commit) return;
    throw new ForgeError(
      'seq_conflict',
      `The tree of run "${this.#options.runId}" was changed by somebody else. What this worker did to it is not kept.`,
    );
  }
}

async function treeOf(git: PrivateGit, commit: string): Promise<string> {
  return git.text({ args: ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`] });
}
