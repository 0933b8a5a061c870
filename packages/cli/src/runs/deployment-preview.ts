import { messageOf } from '@forge/core';
import type { ApprovalView } from '@forge/runtime';
import type { Store } from '@forge/store';
import { printable } from '../printable.ts';
import { projectLabel } from '../workshop/labels.ts';
import { diffStat, type FileChange } from './diff-stat.ts';
import { counted } from './words.ts';

const hash = /^[0-9a-f]{40,64}$/;
const shown = 15;
const cutAt = 1024 ** 2;

/**
 * What a deployment that waits for a yes would change, against what serves now, else against what the
 * run began with. Empty for every other approval.
 */
export async function deploymentPreview(
  { tool, effective, runId }: ApprovalView,
  { store, signal }: { readonly store: Store; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { commit } = effective;
  if (tool !== 'deploy' || typeof commit !== 'string' || !hash.test(commit)) return [];
  const { labels = {} } = (await store.run(runId)) ?? {};
  const repo = labels['forge.repo'];
  if (repo === undefined) return [];
  try {
    const live = await liveCommit(store, labels[projectLabel]);
    const from = live ?? labels['forge.base'];
    if (from === undefined || from === commit) {
      return [...(live === commit ? ['  It serves already.'] : []), look(repo, 'show', commit)];
    }
    const { diff } = await import('@forge/pipeline');
    const { text, cut } = await diff({ repo, from, to: commit, cutAt, signal });
    const against = live === undefined ? 'what the run began with' : 'what serves now';
    return [
      `  changes ${against} (${from.slice(0, 12)}):`,
      ...fileLines(diffStat(text)),
      ...(cut ? ['    the change is larger than what was looked at here'] : []),
      look(repo, 'diff', `${from} ${commit}`),
    ];
  } catch (error) {
    signal.throwIfAborted();
    return [`  The change cannot be shown: ${printable(messageOf(error), 300)}`];
  }
}

async function liveCommit(store: Store, project: string | undefined) {
  if (project === undefined) return undefined;
  const { items } = await store.deployments.list({ project, state: 'live' }, { limit: 1 });
  return items[0]?.commit;
}

function fileLines(files: readonly FileChange[]): readonly string[] {
  if (files.length === 0) return ['    nothing'];
  const more = files.length - shown;
  return [
    ...files
      .slice(0, shown)
      .map(({ path, added, removed }) => `    ${printable(path, 100)}  +${added} −${removed}`),
    ...(more > 0 ? [`    … and ${counted(more, 'file')} more`] : []),
  ];
}

function look(repo: string, verb: 'diff' | 'show', commits: string): string {
  return `  all of it: git -C '${printable(repo, 300)}' ${verb} ${commits}`;
}
