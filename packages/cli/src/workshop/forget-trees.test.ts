import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { runRef } from '@forge/pipeline';
import { openStore } from '@forge/store';
import { forgetTrees, treesKept } from './forget-trees.ts';

it('trees of runs that ended long ago are forgotten, and no others', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-trees-'));
  const repo = join(folder, 'repo');
  mkdirSync(repo);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: repo,
      encoding: 'utf8',
    }).trim();
  const store = await openStore(join(folder, 'runs.db'));
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await forgetTrees(repo, store);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'one');
  for (const id of ['old', 'new', 'open', 'unknown']) git('update-ref', runRef(id), 'HEAD');
  for (const id of ['old', 'new', 'open']) await store.createRun({ id, agent: 'a' });
  for (const [id, ago] of [
    ['old', treesKept + 1_000],
    ['new', 1_000],
  ] as const) {
    const [lease] = await store.claim({ owner: 'w', ttl: 60_000, limit: 1, runId: id });
    const ended = { type: 'run.finished', status: 'completed', reason: 'answered' } as const;
    await store.append({
      ...{ runId: id, fence: lease?.fence ?? 0, expectedSeq: 0, state: 'completed' },
      ...{ happenings: [{ ...ended, explanation: '' }], at: (await store.now()) - ago },
    });
  }
  await forgetTrees(repo, store);
  assert.deepEqual(
    git('for-each-ref', '--format=%(refname)', 'refs/forge').split('\n'),
    ['new', 'open', 'unknown'].map(runRef),
  );
});
