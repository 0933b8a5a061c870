import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError, run } from '@forge/core';
import { ScriptedModel } from '@forge/core/testing';
import type { DeployPort } from '../agents/ports.ts';
import { releaseProgram } from './release-program.ts';

const commit = 'a'.repeat(40);
const nobody = new ScriptedModel([]);

/** A target of one project, and what was done to it. */
function place({
  healthy = true,
  problems = [],
  earlier = true,
  rollbackFails = false,
}: {
  readonly healthy?: boolean;
  readonly problems?: Awaited<ReturnType<DeployPort['check']>>;
  readonly earlier?: boolean;
  readonly rollbackFails?: boolean;
} = {}) {
  const done: string[] = [];
  const deploy: DeployPort = {
    target: 'here',
    check: async () => problems,
    deploy: async ({ id }) => {
      done.push('deploy');
      return { id, commit, digest: 'sha256:1', url: 'http://127.0.0.1:1' };
    },
    verify: async (_, passed) => void done.push(passed ? 'verified' : 'refused'),
    rollback: async () => {
      if (rollbackFails) throw new ForgeError('deploy_failed', 'dep_0 does not start any more.');
      if (!earlier) throw new ForgeError('nothing_to_roll_back', 'There is no earlier version.');
      done.push('rollback');
      return { to: 'dep_0' };
    },
    withdraw: async () => void done.push('withdraw'),
    health: async () => ({ healthy, report: healthy ? 'well' : '/health answered 500' }),
  };
  return { deploy, done };
}

const release = (deploy: DeployPort, input = JSON.stringify({ commit })) =>
  run(releaseProgram({ name: 'deploy', deploy }), input, { model: nobody });

describe('a release without a model', () => {
  it('is deployed and looked at', async () => {
    const { deploy, done } = place();
    const { status, output } = await release(deploy);
    assert.equal(status, 'completed');
    assert.deepEqual(done, ['deploy', 'verified']);
    assert.equal(JSON.parse(output?.text ?? '').url, 'http://127.0.0.1:1');
  });

  it('that is not well is taken back, and stays a failure', async () => {
    const { deploy, done } = place({ healthy: false });
    const { status, explanation } = await release(deploy);
    assert.equal(status, 'failed');
    assert.deepEqual(done, ['deploy', 'refused', 'rollback']);
    assert.match(explanation, /answered 500.*dep_0 serves again/);
  });

  it('that is not well and has none before it serves no more', async () => {
    const { deploy, done } = place({ healthy: false, earlier: false });
    assert.match((await release(deploy)).explanation, /answered 500.*nothing serves/);
    assert.deepEqual(done, ['deploy', 'refused', 'withdraw']);
  });

  it('that is not well and cannot be taken back says both', async () => {
    const { deploy } = place({ healthy: false, rollbackFails: true });
    const { explanation } = await release(deploy);
    assert.match(explanation, /answered 500.*Going back failed too: .*dep_0 does not start/);
  });

  it('waits for each step, in a process that takes it up in the middle too', () => {
    const { program } = releaseProgram({ name: 'deploy', deploy: place().deploy });
    const texts = { deploy: '{"deploymentId":"dep_1"}', verify: 'sick', rollback: '' };
    const calls = Object.entries(texts).map(([id, text]) => {
      const status = id === 'deploy' ? ('ok' as const) : ('failed' as const);
      return { id, name: id, args: {}, status, text };
    });
    for (const [index, call] of calls.entries()) {
      const soFar = [...calls.slice(0, index), { ...call, status: 'open' as const, text: '' }];
      assert.deepEqual(program?.({ input: [''], calls: soFar }), { type: 'call', calls: [] });
    }
  });

  it('is not begun while something is missing', async () => {
    const { deploy, done } = place({ problems: [{ problem: 'No Docker.', fix: 'Start it.' }] });
    const { status, explanation } = await release(deploy);
    assert.equal(status, 'failed');
    assert.match(explanation, /No Docker\. Start it\./);
    assert.deepEqual(done, []);
  });

  it('needs a commit', async () => {
    const { deploy, done } = place();
    assert.equal((await release(deploy, '{}')).status, 'failed');
    assert.equal((await release(deploy, 'main')).status, 'failed');
    assert.deepEqual(done, []);
  });
});
