import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '@forge/store';
import { createDeployer, createTargets, type Target } from '@forge/targets';
import * as z from 'zod';
import { createDeployPort } from './create-deploy-port.ts';
import { makeFolder } from './git-fixtures.test.ts';

/** A target whose software is a word: the release that has the traffic. */
function wordTarget() {
  const said: string[] = [];
  const live = (digest: string) => ({ digest, url: 'http://word.test', detail: {} });
  const target: Target = {
    name: 'word',
    config: z.record(z.string(), z.json()),
    validate: async () => [],
    build: async (_, { commit }) => ({ digest: `sha256:${commit}`, detail: {} }),
    deploy: async (_, { digest }, { id }) => {
      said.push(id);
      return live(digest);
    },
    healthCheck: async () => ({ healthy: true, report: said.at(-1) ?? 'nothing' }),
    rollback: async (_, { id, built }) => {
      said.push(`back to ${id}`);
      return live(built.digest);
    },
    stop: async () => {
      said.push('stopped');
    },
  };
  return { target, said };
}

describe('the deploy port', () => {
  it('deploys, verifies, goes back once, and withdraws what has nothing before it', async () => {
    const folder = await makeFolder();
    const store = await openStore(join(folder, 'runs.sqlite'));
    const { target, said } = wordTarget();
    const targets = createTargets();
    targets.add(target);
    const { signal } = new AbortController();
    const tell = () => {};
    try {
      const deployer = createDeployer({
        deployments: store.deployments,
        targets,
        folder: join(folder, 'state'),
        checkout: async () => ({ path: folder, remove: async () => {} }),
      });
      const port = createDeployPort(deployer, { project: 'p', target: 'word', config: {} });
      const deploy = (id: string, commit: string) =>
        port.deploy({ id, commit, runId: 'r', signal, tell });
      const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
      assert.deepEqual(await port.check({ commit: one, runId: 'r', signal }), []);
      const first = await deploy('dep_1', one);
      assert.deepEqual(first, {
        id: 'dep_1',
        commit: one,
        digest: `sha256:${one}`,
        url: 'http://word.test',
      });
      await port.verify('dep_1', true);
      await deploy('dep_2', two);
      await deploy('dep_2', two); // The same call again, after a crash.
      assert.deepEqual(said, ['dep_1', 'dep_2']);
      await port.verify('dep_2', false, 'It does not greet.');
      const back = { from: 'dep_2', reason: 'It does not greet.', signal, tell };
      assert.deepEqual(await port.rollback(back), { to: 'dep_1' });
      assert.deepEqual(await port.rollback(back), { to: 'dep_1' }, 'again goes no further back');
      assert.deepEqual(said, ['dep_1', 'dep_2', 'back to dep_1']);
      await assert.rejects(port.rollback({ ...back, from: 'dep_1' }), {
        code: 'nothing_to_roll_back',
      });
      await port.withdraw({ id: 'dep_1', reason: 'Bad.', signal, tell });
      assert.equal(await store.deployments.live('p', 'word'), undefined);
      assert.equal((await port.health(signal)).healthy, true);
    } finally {
      await store.close();
      await rm(folder, { recursive: true });
    }
  });
});
