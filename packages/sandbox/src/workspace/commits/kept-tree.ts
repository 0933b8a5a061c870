import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';
import type { WorkspaceLimits } from '../read-source.ts';
import { packCommits } from './pack-commits.ts';
import type { PrivateGit } from './private-git.ts';
import { spoiled } from './read-look.ts';
import type { Look, LookLimits, TreeInside } from './tree-inside.ts';

/** A tree of the repository that has all that is in a workspace. */
export interface Kept {
  readonly tree: string;
  /** Paths git would not take, as names that some systems take for `.git`. They are not in the tree. */
  readonly refused: readonly string[];
  /** What git inside complained about, such as folders it could not read. */
  readonly complaint: string;
}

/** Names of git's own, and what Windows and macOS take for them: no git adds these. */
const gitsOwn = /(?:^|\/)(?:\.git|git~\d+)[ .]*(?:[:\\][^/]*)?(?:\/|$)/i;

/**
 * The files of a sandbox, as trees of a repository on the host. What comes out is data: it is written
 * as contents and names through git's own index on the host, which refuses bad names, and no tree or
 * commit from inside is ever taken over.
 */
export class KeptTree {
  readonly #inside: TreeInside;
  readonly #git: PrivateGit;
  readonly #limits: WorkspaceLimits;
  readonly #lookLimits: LookLimits;
  /** What was kept last. */
  #tree: string;
  /** What the index on the host holds. */
  #indexed: string | undefined;

  constructor(options: {
    readonly inside: TreeInside;
    readonly git: PrivateGit;
    readonly tree: string;
    readonly limits: WorkspaceLimits;
    readonly lookLimits: LookLimits;
  }) {
    this.#inside = options.inside;
    this.#git = options.git;
    this.#tree = options.tree;
    this.#limits = options.limits;
    this.#lookLimits = options.lookLimits;
  }

  /** Writes what is in the workspace now. One at a time. */
  async keep(signal?: AbortSignal): Promise<Kept> {
    const look = await this.#lookAndWrite(signal).catch(async (error: unknown) => {
      // Our folder inside may have been cleared away with other temporary files, or be full.
      if (!ForgeError.is(error, 'tool_failed')) throw error;
      await this.#again(signal);
      return this.#lookAndWrite(signal);
    });
    return { tree: look.tree, refused: refusedOf(look), complaint: look.said.slice(0, 2_000) };
  }

  async #lookAndWrite(signal: AbortSignal | undefined): Promise<Look> {
    const look = await this.#inside.look(this.#tree, this.#lookLimits, signal);
    if (look.tree !== this.#tree) await this.#write(look, signal);
    this.#tree = look.tree;
    return look;
  }

  async #write(look: Look, signal: AbortSignal | undefined): Promise<void> {
    const git = this.#git;
    const at = this.#indexed;
    this.#indexed = undefined; // Until it is what it should be.
    if (at !== this.#tree) await git.run({ args: ['read-tree', this.#tree], signal });
    await this.#writeContents(look, signal);
    const input = Buffer.concat(
      look.changes.flatMap(({ mode, object, path }) => [
        Buffer.from(mode === '000000' ? `0 ${object}\t` : `${mode} ${object}\t`),
        path,
        Buffer.of(0),
      ]),
    );
    await git.run({ args: ['update-index', '-z', '--index-info'], input, signal });
    const tree = await git.text({ args: ['write-tree'], signal });
    if (tree !== look.tree) throw spoiled('a tree');
    this.#indexed = tree;
  }

  async #writeContents({ contents }: Look, signal: AbortSignal | undefined): Promise<void> {
    if (contents.size === 0) return;
    const folder = join(this.#git.folder, 'contents');
    await mkdir(folder, { recursive: true });
    try {
      let count = 0;
      for (const bytes of contents.values()) {
        await writeFile(join(folder, String(count)), bytes);
        count += 1;
      }
      const names = [...contents.keys()].map((_, index) => join(folder, `${index}\n`)).join('');
      const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
      const written = await this.#git.text({ args, input: names, signal });
      if (written !== [...contents.keys()].join('\n')) throw spoiled('the contents of a file');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Lays our folder inside anew, with objects of its own: nothing in the workspace is touched. */
  async #again(signal: AbortSignal | undefined): Promise<void> {
    const git = this.#git;
    const packed = await packCommits(git, [this.#tree], { limits: this.#limits, signal });
    await this.#inside.lay(git.repository.format, packed.entries('git/objects/pack'));
    await packed.remove();
    await this.#inside.adopt(this.#tree, signal);
  }
}

/** What git left is to be named; if it could have taken it, the tree is not what the workspace is. */
function refusedOf({ left, said }: Look): readonly string[] {
  const missed = left.filter((path) => !gitsOwn.test(path));
  if (missed.length === 0) return left;
  throw new ForgeError(
    'tool_failed',
    `${missed.length} changed files could not be kept (${missed.slice(0, 5).join(', ')}). Make them readable, remove them, or leave them out with a .gitignore file. Git said: ${said.trim().slice(0, 500)}`,
  );
}
