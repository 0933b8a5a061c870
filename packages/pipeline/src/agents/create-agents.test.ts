import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { applyPolicy } from '@forge/tools';
import { agentDefaults } from './agent-defaults.ts';
import { openShop } from './agent-fixtures.test.ts';
import { makeFolder } from './git-fixtures.test.ts';
import { builtinProfiles } from './profiles/profile.ts';
import { folderFiles } from './prompt/project-files.ts';

async function withShop(
  options: Parameters<typeof openShop>[0],
  look: (shop: Awaited<ReturnType<typeof openShop>>) => void | Promise<void>,
) {
  const shop = await openShop(options);
  try {
    await look(shop);
  } finally {
    await shop.close();
  }
}

describe('the agents of a project', () => {
  it('have a kind of work, a version of their words, and 25 turns', async () => {
    await withShop({}, ({ agents }) => {
      const { planner, coder, reviewer, deployer, verifier, codingAgent } = agents;
      const spoken = [planner, coder, reviewer, deployer, verifier, codingAgent];
      assert.deepEqual(
        spoken.map(({ name, taskType }) => [name, taskType]),
        [
          ['planner', 'planning'],
          ['coder', 'coding'],
          ['reviewer', 'review'],
          ['deployer', 'deploy'],
          ['verifier', 'verify'],
          ['agent', 'coding'],
        ],
      );
      for (const { name, version, guard } of spoken) {
        const words = name === 'agent' ? 'coder' : name;
        assert.match(version ?? '', new RegExp(`^${words}@[0-9a-f]{8}$`));
        assert.equal(guard.limits.turns, 25);
        assert.equal(guard.terminalTools.length, 1);
        assert.ok(agentDefaults[name]);
      }
    });
  });

  it('that work without a model have none', async () => {
    await withShop({}, ({ agents: { merger, rollback, publisher } }) => {
      for (const { program } of [merger, rollback, publisher]) assert.ok(program);
    });
  });

  it('take what the configuration says of them, and the limits of all', async () => {
    const folder = await makeFolder({ 'mine.md': 'My own words.', 'AGENTS.md': 'Use tabs.' });
    const options = {
      project: folderFiles(folder),
      settings: {
        coder: { prompt: 'mine.md', max_iterations: 3 },
        reviewer: { task_type: 'judge' },
      },
      limits: { tokens: 16_384, cost: 2 },
    };
    try {
      await withShop(options, ({ agents: { coder, reviewer, planner } }) => {
        assert.match(coder.instructions, /^My own words\.[\s\S]*## Sandbox[\s\S]*Use tabs\./);
        assert.equal(coder.guard.limits.turns, 3);
        assert.equal(reviewer.taskType, 'judge');
        assert.deepEqual([planner.guard.limits.tokens, planner.guard.limits.cost], [16_384, 2]);
        assert.match(planner.instructions, /Use tabs\./);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('work by a profile, if they are sent off with one', async () => {
    const profile = builtinProfiles.find(({ id }) => id === 'thorough');
    assert.ok(profile);
    await withShop({ profile }, ({ agents: { codingAgent, coder } }) => {
      assert.match(codingAgent.instructions, /## Profile Scope\n\nBe thorough\./);
      assert.equal(codingAgent.guard.limits.turns, 50);
      assert.doesNotMatch(coder.instructions, /Profile Scope/);
    });
  });

  it('hear what plugins have to say', async () => {
    const prompts = { planner: 'Plan like a plugin.', house: 'Mind the house.' };
    await withShop({ prompts }, ({ agents: { planner, coder } }) => {
      assert.match(planner.instructions, /^Plan like a plugin\./);
      assert.match(coder.instructions, /## Extension Prompts\n\n### house\n\nMind the house\./);
    });
  });

  it('have the tools that the policy leaves them', async () => {
    const policy: NonNullable<Parameters<typeof openShop>[0]>['policy'] = (tools) =>
      applyPolicy([...tools], { disabled: ['shell'] });
    await withShop({ policy }, ({ agents: { coder } }) => {
      assert.ok(!coder.guard.names.includes('shell'));
      assert.ok(!coder.instructions.includes('**shell**'));
      assert.ok(coder.guard.names.includes('write'));
    });
  });

  it('cannot commit or switch branches inside the sandbox', async () => {
    await withShop({}, ({ agents: { coder } }) => {
      const git = coder.guard.names.filter((name) => name.startsWith('git_'));
      assert.deepEqual(git, ['git_status', 'git_diff', 'git_log', 'git_branches']);
    });
  });
});
