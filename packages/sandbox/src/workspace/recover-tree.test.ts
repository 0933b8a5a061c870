import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '@forge/core';
import { OwnedFolders } from '../owner/owned-folders.ts';
import { readJournal, type Side, writeJournal } from './apply-journal.ts';
import { journalKey } from './journal-key.ts';
import { recoverTree } from './recover-tree.ts';
import { applyPrefix } from './workspace-path.ts';

const fixture = fileURLToPath(new URL('./apply-and-die.fixture.ts', import.meta.url));

/** A tree with old files, and a folder with those that are to take their place. */
async function withTrees(
  files: number,
  test: (trees: {
    readonly root: string;
    readonly content: string;
    readonly stateFolder: string;
  }) => Promise<void>,
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
    await test({ root, content, stateFolder: join(folder, 'state') });
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
      await withTrees(30, async ({ root, content, stateFolder }) => {
        const child = spawn(process.execPath, [fixture, root, content, stateFolder, step], {
          stdio: 'inherit',
        });
        const [, signal] = await once(child, 'exit');
        assert.equal(signal, 'SIGKILL');
        await recoverTree(root, { stateFolder });
        assert.equal(whichTree(root, 30), expected);
        assert.deepEqual(await recoverTree(root, { stateFolder }), []);
      });
    });
  }

  it('leaves one of the two trees, whenever it dies', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      await withTrees(200, async ({ root, content, stateFolder }) => {
        const child = spawn(process.execPath, [fixture, root, content, stateFolder], {
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
        await recoverTree(root, { stateFolder });
        seen.add(whichTree(root, 200));
      });
    }
    assert.deepEqual([...seen], ['new']);
  });

  it('is waited for while it lives', async () => {
    await withTrees(1, async ({ root, stateFolder }) => {
      const folders = new OwnedFolders({ parent: root, kind: applyPrefix });
      const folder = await folders.create();
      await assert.rejects(recoverTree(root, { stateFolder }), (error) =>
        ForgeError.is(error, 'not_allowed'),
      );
      await folders.remove(folder);
      assert.deepEqual(await recoverTree(root, { stateFolder }), []);
    });
  });
});

describe('a journal that came with the tree', () => {
  const isRefused = (name: string) => (error: unknown) =>
    ForgeError.is(error, 'not_allowed') && error.message.includes(name);
  const dead = '1-1-0123456789abcdef'; // Of another boot.
  const step = (path: string, after: object) => ({ path, before: { type: 'nothing' }, after });
  const evil = [
    step('old0', { type: 'nothing' }),
    step('link', { type: 'symlink', link: '/etc/passwd' }),
  ];
  const journal = JSON.stringify({ v: 1, direction: 'forward', steps: evil });

  for (const [what, text] of Object.entries({
    'is not sealed': journal,
    'has a seal of another key': JSON.stringify({ seal: 'f'.repeat(64), journal }),
    'is none': 'nothing of the kind',
  })) {
    it(`is left alone and named if it ${what}`, async () => {
      await withTrees(2, async ({ root, stateFolder }) => {
        const name = `${applyPrefix}-${dead}-${'0'.repeat(80)}`;
        mkdirSync(join(root, name));
        writeFileSync(join(root, name, 'journal.json'), text);
        writeFileSync(join(root, name, 'new1'), 'of the repository');
        await assert.rejects(recoverTree(root, { stateFolder }), isRefused(name));
        assert.deepEqual(readdirSync(root), [name, 'old0', 'old1']);
        assert.deepEqual(readdirSync(join(root, name)), ['journal.json', 'new1']);
      });
    });
  }

  it('is not followed in our own folder either, nor where it was carried from another tree', async () => {
    await withTrees(2, async ({ root, content, stateFolder }) => {
      const child = spawn(process.execPath, [fixture, root, content, stateFolder, 'journaled']);
      await once(child, 'exit');
      const name = readdirSync(root).find((found) => found.startsWith(applyPrefix)) ?? '';
      cpSync(join(root, name), join(content, name), { recursive: true });
      await assert.rejects(recoverTree(content, { stateFolder }), isRefused(name));
      assert.deepEqual(readdirSync(content), [name, 'new0', 'new1']);
      writeFileSync(join(root, name, 'journal.json'), journal);
      await assert.rejects(recoverTree(root, { stateFolder }), isRefused(name));
      assert.deepEqual(readdirSync(root), [name, 'old0', 'old1']);
    });
  });

  it('is not followed out of the tree, whoever sealed it', async () => {
    for (const bad of [
      step('link', { type: 'symlink', link: '../out' }),
      step('../out', { type: 'nothing' }),
      step('.git/hooks/x', { type: 'file', stage: 'new1' }),
    ]) {
      await withTrees(1, async ({ root, stateFolder }) => {
        const key = await journalKey(stateFolder);
        const place = { root, folder: root, key };
        const before: Side = { type: 'nothing' };
        const sealed = JSON.stringify({ v: 1, direction: 'forward', steps: [bad] });
        const seal = key.seal('journal', root, 'root', sealed);
        writeFileSync(join(root, 'journal.json'), JSON.stringify({ seal, journal: sealed }));
        assert.equal(await readJournal(place), 'foreign');
        await writeJournal(place, {
          v: 1,
          direction: 'forward',
          steps: [{ path: 'a', before, after: { type: 'symlink', link: 'b' } }],
        });
        assert.notEqual(await readJournal(place), 'foreign');
      });
    }
  });
});

describe('the key', () => {
  it('is one for all who make it at once, and nobody else may read it', async () => {
    await withTrees(0, async ({ stateFolder }) => {
      const keys = await Promise.all(Array.from({ length: 8 }, () => journalKey(stateFolder)));
      assert.equal(new Set(keys.map((key) => key.seal('x'))).size, 1);
      assert.deepEqual(readdirSync(stateFolder), ['apply.key']);
      const path = join(stateFolder, 'apply.key');
      assert.equal(statSync(path).mode & 0o777, 0o600);
      chmodSync(path, 0o644);
      await assert.rejects(journalKey(stateFolder), (error) => ForgeError.is(error, 'not_allowed'));
    });
  });
});
