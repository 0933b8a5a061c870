import { ForgeError, textOf } from '@forge/core';
import { isBroken, type Store } from '@forge/store';
import * as z from 'zod';
import type { Merge } from '../contracts.ts';
import { firstHead } from './first-head.ts';
import { mergeCommits } from './merge-commits.ts';
import { commitOf, hash } from './read-commits.ts';
import type { Identity } from './write-commit.ts';

/** Labels of a run, inherited by its children. */
export const repoLabel = 'forge.repo';
export const baseLabel = 'forge.base';

export interface StartOfRun {
  /** The repository on this machine. */
  readonly repo: string;
  /** The commit that the run's tree begins with. */
  readonly commit: string;
  /** What it builds on and does not fit the rest, so that it is not in that commit. */
  readonly conflicts: readonly NonNullable<Merge['conflict']>[];
}

const inputSchema = z.object({
  commit: z.string().optional().catch(undefined),
  done: z
    .array(z.object({ commit: z.string() }))
    .optional()
    .catch(undefined),
});

const longestInput = 10_000_000;
/** The first event says what the run was given; a few may stand before it. */
const firstEvents = 20;

/**
 * Where a run begins: with the work it builds on (`done` in its input), else the commit in its input,
 * else that of its label, else the repository's last commit when it began. Work that does not fit what came before it is left out, and said. Always the
 * same, whoever asks.
 */
export async function startOfRun(
  store: Store,
  runId: string,
  identity: Identity,
): Promise<StartOfRun> {
  const run = await store.run(runId);
  if (run === undefined) throw new ForgeError('not_found', `There is no run "${runId}".`);
  const repo = run.labels[repoLabel];
  if (repo === undefined) {
    throw new ForgeError(
      'invalid_options',
      `Run "${runId}" works on no repository: it has no label ${repoLabel}. Start it with one.`,
    );
  }
  const input = await inputOf(store, runId);
  const base = input.commit ?? run.labels[baseLabel] ?? (await firstHead(repo, runId));
  const [first, ...others] = new Set((input.done ?? []).map(({ commit }) => commit));
  let commit = await commitOf(repo, hash(first ?? base));
  const conflicts: StartOfRun['conflicts'][number][] = [];
  const message = 'Merge what the next task builds on';
  for (const next of others) {
    const commits = [{ id: next.slice(0, 12), commit: next }];
    const merge = await mergeCommits({ repo, base: commit, commits, message, identity });
    commit = merge.commit;
    if (merge.conflict !== undefined) conflicts.push(merge.conflict);
  }
  return { repo, commit, conflicts };
}

async function inputOf(store: Store, runId: string): Promise<z.infer<typeof inputSchema>> {
  for (const event of await store.events(runId, { limit: firstEvents })) {
    if (isBroken(event) || event.type !== 'run.started') continue;
    const text = event.input.map(textOf).join('\n');
    if (text.length > longestInput) {
      throw new ForgeError(
        'too_large',
        `What run "${runId}" was given is longer than ${longestInput} characters, so where it begins cannot be read. Give it less.`,
      );
    }
    try {
      return inputSchema.safeParse(JSON.parse(text)).data ?? {};
    } catch {
      return {}; // A task in plain words.
    }
  }
  return {};
}
