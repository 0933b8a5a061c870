import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const moduleOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** Programs that end as by `kill -9` while they have something of a workspace on the host. */
const deaths = {
  'a copy of a repository': `
    const { shallowRepository } = await import(${moduleOf('./shallow-repository.ts')});
    for await (const _ of shallowRepository(root)) process.kill(process.pid, 'SIGKILL');`,
  'an empty repository to ask': `
    const { readSource } = await import(${moduleOf('./read-source.ts')});
    fs.watch(os.tmpdir(), () => process.kill(process.pid, 'SIGKILL'));
    const source = { type: 'folder', path: root, ignore: true };
    const limits = { files: 10, bytes: 1000 };
    for await (const _ of readSource({ source, root, limits, state: new Map() }));
    setInterval(() => {}, 1000);`,
};

const reap = `
  const { reapWorkspaces } = await import(${moduleOf('./workspace-folders.ts')});
  await reapWorkspaces();`;

for (const [what, program] of Object.entries(deaths)) {
  test(`removes what a process that was killed left: ${what}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-left-'));
    const [root, temporary] = [join(folder, 'tree'), join(folder, 'tmp')];
    const run = (text: string) => {
      const start = `import fs from 'node:fs'; import os from 'node:os'; const [, root] = process.argv;`;
      const args = ['--input-type=module', '--eval', start + text, root];
      const env = { PATH: '/usr/bin:/bin', TMPDIR: temporary };
      return spawnSync(process.execPath, args, { encoding: 'utf8', env });
    };
    try {
      for (const each of [root, temporary]) mkdirSync(each);
      writeFileSync(join(root, 'file'), 'content');
      const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args]);
      git('init', '-q');
      git('add', '--all');
      git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'one');
      const { signal, stderr } = run(program);
      assert.equal(signal, 'SIGKILL', stderr);
      assert.equal(readdirSync(temporary).length, 1);
      assert.equal(run(reap).status, 0);
      assert.deepEqual(readdirSync(temporary), []);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
