import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packFolder } from '../archive/pack-folder.ts';
import type { WriteEntry } from '../archive/write-tar.ts';
import { runGit } from './run-git.ts';
import { workspaceFolders } from './workspace-folders.ts';

/** Settings of the copy: its own, none of the user's. */
const config = `[core]
\trepositoryformatversion = 0
\tbare = false
[user]
\tname = Forge
\temail = forge@localhost
`;

/**
 * A `.git` folder with the last commit and nothing else: no history, no remote, no hook, no setting
 * of the user's. Nothing for a repository without a commit.
 */
export async function* shallowRepository(
  root: string,
  signal?: AbortSignal,
): AsyncGenerator<WriteEntry, void, void> {
  const head = await runGit({
    cwd: root,
    args: ['rev-parse', '-q', '--verify', 'HEAD'],
    codes: [0, 1, 128],
    signal,
  });
  if (head.output.length === 0) return;
  const folders = workspaceFolders();
  const folder = await folders.create();
  try {
    const depth = ['--depth', '1', '--single-branch', '--no-tags', '--template='];
    const clone = ['clone', '-q', '--no-checkout', ...depth, pathToFileURL(root).href, 'copy'];
    await runGit({ cwd: folder.path, args: clone, signal });
    const copy = join(folder.path, 'copy');
    // The index of the commit: what differs in the work tree shows as a change.
    await runGit({ cwd: copy, args: ['read-tree', 'HEAD'], signal });
    await writeFile(join(copy, '.git', 'config'), config);
    const keep = (name: string) =>
      !/^(?:hooks|logs|packed-refs|refs\/remotes|FETCH_HEAD|ORIG_HEAD)(?:\/|$)/.test(name);
    yield { name: '.git', type: 'folder', link: '', mode: 0o755, size: 0, mtime: 0 };
    for await (const entry of packFolder(join(copy, '.git'), { keep })) {
      yield { ...entry, name: `.git/${entry.name}` };
    }
  } finally {
    await folders.remove(folder);
  }
}
