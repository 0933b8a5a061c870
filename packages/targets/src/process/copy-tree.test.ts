import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { copyTree } from './copy-tree.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-copy-'));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

function tree(make: (folder: string) => void): { from: string; to: string } {
  count += 1;
  const from = join(root, `from-${count}`);
  mkdirSync(join(from, 'sub'), { recursive: true });
  writeFileSync(join(from, 'sub', 'file'), 'content');
  make(from);
  return { from, to: join(root, `to-${count}`) };
}

const signal = new AbortController().signal;
const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(ForgeError.is(error, 'deploy_failed'));
  assert.match(error.message, words);
  return true;
};

describe('copyTree', () => {
  it('copies files, folders, links within, and who may run what; but no repository', async () => {
    const { from, to } = tree((folder) => {
      writeFileSync(join(folder, 'run'), '#!/bin/sh');
      chmodSync(join(folder, 'run'), 0o755);
      symlinkSync('sub/file', join(folder, 'link'));
      symlinkSync('../run', join(folder, 'sub', 'up'));
      symlinkSync('not-yet', join(folder, 'dangling'));
      writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere');
    });
    assert.match(await copyTree({ from, to, signal }), /^sha256:[0-9a-f]{64}$/);
    assert.equal(readFileSync(join(to, 'link'), 'utf8'), 'content');
    assert.equal(readlinkSync(join(to, 'sub', 'up')), '../run');
    assert.equal(statSync(join(to, 'run')).mode & 0o111, 0o111);
    assert.equal(statSync(join(to, '.git'), { throwIfNoEntry: false }), undefined);
  });

  it('gives the same digest for the same content, and another for another', async () => {
    const same = tree(() => {});
    const again = tree(() => {});
    const other = tree((folder) => writeFileSync(join(folder, 'sub', 'file'), 'CONTENT'));
    const runnable = tree((folder) => chmodSync(join(folder, 'sub', 'file'), 0o755));
    const digests = await Promise.all(
      [same, again, other, runnable].map((each) => copyTree({ ...each, signal })),
    );
    assert.equal(digests[0], digests[1]);
    assert.equal(new Set(digests).size, 3);
  });

  const links: Readonly<Record<string, (folder: string) => void>> = {
    'an absolute path': (folder) => symlinkSync('/etc/passwd', join(folder, 'link')),
    'its parent': (folder) => symlinkSync('..', join(folder, 'link')),
    'a neighbour': (folder) => symlinkSync('../../other', join(folder, 'sub', 'link')),
    'the outside by way of another link': (folder) => {
      symlinkSync('..', join(folder, 'sub', 'top'));
      symlinkSync('sub/top/../x', join(folder, 'link'));
      mkdirSync(join(root, 'x'), { recursive: true });
    },
  };
  for (const [what, make] of Object.entries(links)) {
    it(`refuses a link to ${what}`, async () => {
      await assert.rejects(
        copyTree({ ...tree(make), signal }),
        refused(/The link (?:sub\/)?link leads out of the tree/),
      );
    });
  }

  it('refuses a tree that is too large', async () => {
    const limits = { files: 1, bytes: 100 };
    await assert.rejects(
      copyTree({ ...tree(() => {}), signal, limits }),
      refused(/more than 1 files/),
    );
  });
});
