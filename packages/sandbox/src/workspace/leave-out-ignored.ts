import type { CollectedChanges } from './collect-changes.ts';
import type { WorkspaceChanges } from './open-workspace.ts';
import type { WorkspaceSource } from './read-source.ts';
import { namesFrom, runGit } from './run-git.ts';

/** Leaves out new files that git would not see in the user's tree: what a build made, say. */
export async function leaveOutIgnored(options: {
  readonly root: string;
  readonly source: WorkspaceSource;
  readonly collected: CollectedChanges;
}): Promise<WorkspaceChanges> {
  const { root, source, collected } = options;
  const added = collected.changes.filter(({ type }) => type === 'added');
  if (source.type !== 'git' || added.length === 0) return { ...collected, ignored: 0 };
  const { output } = await runGit({
    cwd: root,
    args: ['check-ignore', '-z', '--stdin'],
    input: added.map(({ path }) => `${path}\0`).join(''),
    codes: [0, 1],
  });
  const ignored = new Set(namesFrom(output));
  const changes = collected.changes.filter(
    ({ path, type }) => type !== 'added' || !ignored.has(path),
  );
  return { ...collected, changes, ignored: ignored.size };
}
