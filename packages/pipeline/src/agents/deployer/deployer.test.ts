import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { calls } from '@forge/core/testing';
import { deploymentSchema } from '../../contracts.ts';
import { openShop, outputOf, recordedDeploy, resultsIn } from '../agent-fixtures.test.ts';

const check = calls(['check_target', {}]);
const deploy = (commit: string) => calls(['deploy', { commit }]);

describe('the deployer', () => {
  it('looks at the target, then deploys the commit it was given', async () => {
    const notes = recordedDeploy({
      deploy: async ({ id, commit }) => ({ id, commit, digest: 'sha256:1', url: 'http://x.test' }),
    });
    const shop = await openShop({ deploy: notes });
    try {
      const { agents, base, work } = shop;
      const result = await work(agents.deployer, { commit: base }, [check, deploy(base)]);
      const made = deploymentSchema.parse(outputOf(result));
      assert.deepEqual(made, {
        deploymentId: made.deploymentId,
        target: 'notes',
        commit: base,
        digest: 'sha256:1',
        url: 'http://x.test',
      });
      assert.match(made.deploymentId, /^dep_[0-9a-f]{16}$/);
      assert.deepEqual(notes.asked, [`deploy ${made.deploymentId}`]);
      assert.ok(result.output);
      assert.deepEqual(agents.deployer.judge?.(result.output).verdict, 'success');
    } finally {
      await shop.close();
    }
  });

  it('goes on with the same deployment after a crash in the middle of it', async () => {
    const ids: string[] = [];
    const stop = new AbortController();
    const notes = recordedDeploy({
      deploy: async ({ id, commit }) => {
        ids.push(id);
        if (ids.length === 1) stop.abort();
        return { id, commit, digest: 'sha256:1' };
      },
    });
    const shop = await openShop({ deploy: notes });
    try {
      const { agents, base, work } = shop;
      const input = { commit: base };
      const first = await work(agents.deployer, input, [check, deploy(base)], {
        signal: stop.signal,
      });
      const started = first.events.findLastIndex(({ type }) => type === 'tool.started');
      const events = first.events.slice(0, started + 1);
      const { runId } = first;
      outputOf(await work(agents.deployer, input, [], { runId, events }));
      assert.equal(ids.length, 2);
      assert.equal(ids[0], ids[1]);
    } finally {
      await shop.close();
    }
  });

  it('sees why a deployment failed, and ends as failed if it goes on failing', async () => {
    const notes = recordedDeploy({
      deploy: async () => {
        throw new ForgeError('deploy_failed', 'The process ended with code 1: no such module.');
      },
    });
    const shop = await openShop({ deploy: notes });
    try {
      const { agents, base, work } = shop;
      const result = await work(agents.deployer, { commit: base }, [
        check,
        deploy(base),
        deploy(base),
        deploy(base),
      ]);
      assert.deepEqual([result.status, result.reason], ['failed', 'tool_errors']);
      assert.match(resultsIn(result)[1] ?? '', /deploy error: .*no such module/);
      assert.equal(notes.asked.length, 2);
    } finally {
      await shop.close();
    }
  });

  it('deploys nothing while the target misses something, and ends with what that is', async () => {
    const notes = recordedDeploy({
      check: async () => [{ problem: 'docker is not running.', fix: 'Start it.' }],
    });
    const shop = await openShop({ deploy: notes });
    try {
      const { agents, base, work } = shop;
      const result = await work(agents.deployer, { commit: base }, [check, deploy(base), check]);
      assert.equal(result.status, 'failed');
      assert.match(result.explanation, /not ready:\n- docker is not running\. Start it\./);
      assert.deepEqual(notes.asked, []);
    } finally {
      await shop.close();
    }
  });

  it('asks a person where the settings say so', async () => {
    const shop = await openShop({ deployApproval: true });
    try {
      const { agents, base, work } = shop;
      const no = await work(agents.deployer, { commit: base }, [check, deploy(base)], {
        approve: () => ({ approved: false, reason: 'not on a Friday' }),
      });
      assert.match(resultsIn(no)[1] ?? '', /deploy denied: .*not on a Friday/);
      const yes = await work(agents.deployer, { commit: base }, [check, deploy(base)], {
        approve: () => ({ approved: true }),
      });
      outputOf(yes);
    } finally {
      await shop.close();
    }
  });
});

describe('what is deployed', () => {
  it('is the commit that was reviewed and no other, whatever is asked for', async () => {
    const notes = recordedDeploy({
      deploy: async ({ id, commit }) => ({ id, commit, digest: 'sha256:1' }),
    });
    const shop = await openShop({ deploy: notes });
    try {
      const { agents, base, work } = shop;
      const other = 'f'.repeat(40);
      const said = [check, deploy(other), deploy(base)];
      const result = await work(agents.deployer, { commit: base }, said);
      assert.match(resultsIn(result)[1] ?? '', /no other is deployed/);
      assert.equal(deploymentSchema.parse(outputOf(result)).commit, base);
      assert.equal(notes.asked.length, 1);
    } finally {
      await shop.close();
    }
  });
});
