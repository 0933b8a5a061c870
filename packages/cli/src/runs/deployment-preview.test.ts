import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { ApprovalView } from '@forge/runtime';
import { deploymentPreview } from './deployment-preview.ts';
import { ground } from './ground.test.ts';

const { signal } = new AbortController();
const asked = (tool: string, commit: string) =>
  ({ tool, effective: { commit }, runId: 'r' }) as unknown as ApprovalView;

it('a deployment shows what it changes, against what serves, else what the run began with', async () => {
  const { store, folder } = await ground({ agents: [] });
  const repo = join(folder, 'repo');
  mkdirSync(repo);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      ...{ cwd: repo, encoding: 'utf8' },
    }).trim();
  const commit = (name: string, text: string) => {
    writeFileSync(join(repo, name), text);
    git('add', '-A');
    git('commit', '-q', '-m', name);
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q');
  const base = commit('a.txt', 'one\n');
  const live = commit('a.txt', 'two\n');
  const next = commit('b\u001b[31m.txt', 'new\nlines\n');
  const labels = { 'forge.repo': repo, 'forge.base': base, 'forge.project': 'shop' };
  await store.createRun({ id: 'r', agent: 'shop/deploy', labels });
  const lines = (to: string, tool = 'deploy') =>
    deploymentPreview(asked(tool, to), { store, signal });
  assert.deepEqual(await lines(live), [
    `  changes what the run began with (${base.slice(0, 12)}):`,
    '    a.txt  +1 −1',
    `  all of it: git -C '${repo}' diff ${base} ${live}`,
  ]);
  assert.deepEqual(await lines(base), [`  all of it: git -C '${repo}' show ${base}`]);
  await store.deployments.begin({
    ...{ id: 'd', project: 'shop', target: 'process', commit: live, startedAt: 0 },
  });
  await store.deployments.change('d', ['building'], { state: 'live' });
  const against = await lines(next);
  assert.equal(against[0], `  changes what serves now (${live.slice(0, 12)}):`);
  assert.equal(against[1], '    b\\033[31m.txt  +2 −0');
  assert.ok(!against.join('').includes('\u001b'));
  assert.equal((await lines(live))[0], '  It serves already.');
  assert.match((await lines('f'.repeat(40)))[0] ?? '', /^ {2}The change cannot be shown: /);
  assert.deepEqual(await lines(next, 'shell'), []);
});
