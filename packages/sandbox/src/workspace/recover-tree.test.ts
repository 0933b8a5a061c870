import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '@forge/core';
import { OwnedFolders } from '../owner/owned-folders.ts';
import { recoverTree } from './recover-tree.ts';
import { applyPrefix } from './workspace-path.ts';

const fixture = fileURLToPath(new URL('./apply-and-die.fixture.ts', import.meta.url));

/** A tree with old files, and a folder with those that are to take their place. */
async function withTrees(
  files: number,
  test: (trees: { readonly root: string; readonly content: string }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-crash-'));
  const [root, content] = [join(folder, 'root'), join(folder, 'content')];
  try {
    for (const [path, name] of [
      [root, 'old'],
      [content, 'new'],
    ] as const) {
      mkdirSync(path);
      for (let index = 0; index < files; index += 1) {
        writeFileSync(join(path, `${name}${index}`), `${name} ${index}`);
      }
    }
    await test({ root, content });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Which of the two a tree is; fails for a mixture. */
function whichTree(root: string, files: number): 'old' | 'new' {
  const names = readdirSync(root);
  assert.equal(names.length, files, `${names.length} files: ${names.slice(0, 5)}`);
  const which = names[0]?.startsWith('old') ? 'old' : 'new';
  for (const name of names) {
    assert.match(name, which === 'old' ? /^old/ : /^new/);
    assert.equal(
      readFileSync(join(root, name), 'utf8'),
      name.replace(/\d+/, (digits) => ` ${digits}`),
    );
  }
  return which;
}

describe('a process that dies while it applies changes', () => {
  for (const [step, expected] of [
    ['staged', 'old'],
    ['journaled', 'new'],
    ['done', 'new'],
  ] as const) {
    it(`leaves the ${expected} tree if it dies when all is ${step}`, async () => {
      await withTrees(30, async ({ root, content }) => {
        const child = spawn(process.execPath, [fixture, root, content, step], { stdio: 'inherit' });
        const [, signal] = await once(child, 'exit');
        assert.equal(signal, 'SIGKILL');
        await recoverTree(root);
        assert.equal(whichTree(root, 30), expected);
        assert.deepEqual(await recoverTree(root), []);
      });
    });
  }

  it('leaves one of the two trees, whenever it dies', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      await withTrees(200, async ({ root, content }) => {
        const child = spawn(process.execPath, [fixture, root, content], {
          stdio: 'inherit',
        });
        const exited = once(child, 'exit');
        // Killed at the first change that can be seen: after so many files, or as it finishes.
        await new Promise<void>((resolve) => {
          const look = () => {
            const news = readdirSync(root).filter((name) => name.startsWith('new')).length;
            if (news > round * 30 || child.exitCode !== null) resolve();
            else setImmediate(look);
          };
          look();
        });
        child.kill('SIGKILL');
        await exited;
        await recoverTree(root);
        seen.add(whichTree(root, 200));
      });
    }
    assert.deepEqual([...seen], ['new']);
  });

  it('is waited for while it lives', async () => {
    await withTrees(1, async ({ root }) => {
      const folders = new OwnedFolders({ parent: root, kind: applyPrefix });
      const folder = await folders.create();
      await assert.rejects(recoverTree(root), (error) => ForgeError.is(error, 'not_allowed'));
      await folders.remove(folder);
      assert.deepEqual(await recoverTree(root), []);
    });
  });
});
