import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Sandbox } from '../../sandbox.ts';

/** Git as a user has it, with an identity of the tests' own. */
export function git(cwd: string, ...args: string[]): string {
  const settings = ['user.name=User', 'user.email=user@example.org', 'protocol.file.allow=always'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  return execFileSync('git', [...options, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

/** A folder with these files, to be removed by the test; a value that begins with `->` is a link. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(join(tmpdir(), 'forge-tree-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    if (typeof content === 'string' && content.startsWith('->'))
      symlinkSync(content.slice(2), join(root, path));
    else writeFileSync(join(root, path), content);
  }
  return root;
}

/** A repository with these files in one commit. */
export function repositoryWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  init: readonly string[] = [],
): { readonly root: string; readonly head: string; remove(): void } {
  const root = folderWith(files);
  git(root, 'init', '-q', '-b', 'main', ...init);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'One');
  return {
    root,
    head: git(root, 'rev-parse', 'HEAD'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Runs a script inside, which has to succeed. */
export async function inside(sandbox: Sandbox, script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await sandbox.exec({ argv: ['sh', '-c', script] }).result;
  assert.equal(exitCode, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
