import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Change } from './collect-changes.ts';
import { runGit } from './run-git.ts';
import { type FileState, stateOnHost } from './tree-state.ts';

export interface WorkspaceDiff {
  /** As `git diff` prints it; binary files are named only. */
  readonly text: string;
  /** The rest was cut. */
  readonly cut: boolean;
}

/**
 * The difference between the user's tree and the changes. `folder` is for the two sides of it and is
 * left as it was.
 */
export async function diffChanges(options: {
  readonly root: string;
  readonly changes: readonly Change[];
  readonly folder: string;
  readonly cutAt: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<WorkspaceDiff> {
  const { root, changes, folder, cutAt, signal } = options;
  const sides = await mkdtemp(join(folder, 'diff-'));
  try {
    await mkdir(join(sides, 'a'));
    await mkdir(join(sides, 'b'));
    for (const { path, after, content } of changes) {
      signal?.throwIfAborted();
      const now = await stateOnHost(root, path);
      await place({ side: join(sides, 'a'), path, state: now, content: join(root, path) });
      await place({ side: join(sides, 'b'), path, state: after, content });
    }
    // A repository of its own, whose attributes stand above those in the trees: a .gitattributes
    // file that came out of the sandbox must not hide what changed, nor show it as something else.
    await runGit({ cwd: sides, args: ['init', '-q', '--template=', 'repository'] });
    const own = join(sides, 'repository', '.git');
    await mkdir(join(own, 'info'), { recursive: true });
    await writeFile(
      join(own, 'info', 'attributes'),
      '* !diff !text !eol !crlf !ident !filter !working-tree-encoding\n',
    );
    const options = [
      '--no-index',
      '--no-prefix',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
    ];
    const { output, cut } = await runGit({
      cwd: sides,
      args: [`--git-dir=${own}`, 'diff', ...options, '--', 'a', 'b'],
      codes: [0, 1],
      cutAt,
      signal,
    });
    return { text: output.toString('utf8'), cut };
  } finally {
    await rm(sides, { recursive: true, force: true });
  }
}

async function place(options: {
  readonly side: string;
  readonly path: string;
  readonly state: FileState | undefined;
  readonly content: string | undefined;
}): Promise<void> {
  const { side, path, state, content } = options;
  if (state === undefined || state.type === 'other') return;
  const full = join(side, path);
  await mkdir(dirname(full), { recursive: true });
  if (state.type === 'symlink') return symlink(state.link, full);
  if (content === undefined) return;
  await copyFile(content, full);
  await chmod(full, state.executable ? 0o755 : 0o644);
}
