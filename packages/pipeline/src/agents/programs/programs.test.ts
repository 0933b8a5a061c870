import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { mergeSchema, rollbackSchema } from '../../contracts.ts';
import {
  nothingToRollBack,
  openShop,
  outputOf,
  recordedDeploy,
  type Shop,
} from '../agent-fixtures.test.ts';
import { commitOn } from '../git-fixtures.test.ts';

describe('agents without a model', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  const code = (commit: string, summary = 'Part') => ({ commit, summary, files: [], checks: [] });

  it('merge the work of several coders in order', async () => {
    const { agents, base, repo, work } = shop;
    const one = await commitOn(repo, base, { 'b.txt': 'b' });
    const two = await commitOn(repo, base, { 'c.txt': 'c' });
    const result = await work(agents.merger, { base, results: [code(one), code(two)] }, []);
    const { status, commit } = mergeSchema.parse(outputOf(result));
    assert.equal(status, 'merged');
    assert.equal(shop.git('show', `${commit}:b.txt`) + shop.git('show', `${commit}:c.txt`), 'bc');
  });

  it('give the work of one coder as it is', async () => {
    const { agents, base, repo, work } = shop;
    const one = await commitOn(repo, base, { 'b.txt': 'b' });
    const result = await work(agents.merger, { base, results: [code(one)] }, []);
    assert.deepEqual(outputOf(result), { status: 'merged', commit: one });
  });

  it('say what did not fit, and go on after it was resolved', async () => {
    const { agents, base, repo, work } = shop;
    const one = await commitOn(repo, base, { 'a.txt': 'first' });
    const two = await commitOn(repo, base, { 'a.txt': 'second' });
    const three = await commitOn(repo, base, { 'c.txt': 'c' });
    const results = [code(one), code(two, 'Second\nwith more words'), code(three)];
    const first = await work(agents.merger, { base, results }, []);
    const { status, conflict, commit } = mergeSchema.parse(outputOf(first));
    assert.deepEqual([status, conflict?.task, conflict?.commit], ['conflict', 'Second', two]);
    const resolved = await commitOn(repo, commit, { 'a.txt': 'first and second' });
    const second = await work(agents.merger, { base: resolved, results, after: two }, []);
    const merged = mergeSchema.parse(outputOf(second));
    assert.equal(merged.status, 'merged');
    assert.equal(shop.git('show', `${merged.commit}:a.txt`), 'first and second');
    assert.equal(shop.git('show', `${merged.commit}:c.txt`), 'c');
    const last = await work(agents.merger, { base: resolved, results, after: three }, []);
    assert.deepEqual(outputOf(last), { status: 'merged', commit: resolved });
  });

  it('make a branch of the result', async () => {
    const { agents, base, work } = shop;
    const input = { commit: base, request: 'Add rate limits' };
    const result = await work(agents.publisher, input, []);
    assert.deepEqual(outputOf(result), { branch: 'forge/add-rate-limits', commit: base });
    assert.equal(shop.git('rev-parse', 'forge/add-rate-limits'), base);
  });

  it('end as failed if they are given something else', async () => {
    const { agents, work } = shop;
    const words = await work(agents.publisher, 'please publish', []);
    assert.deepEqual([words.status, words.reason], ['failed', 'program_failed']);
    assert.match(words.explanation, /publisher was given no JSON object/);
    const wrong = await work(agents.publisher, { commit: 'HEAD' }, []);
    assert.equal(wrong.status, 'failed');
  });
});

describe('the rollback', () => {
  const deployment = { deploymentId: 'dep_2', target: 'notes', digest: 'sha256:0' };
  const verification = {
    verdict: 'fail',
    summary: 's',
    deploymentId: 'dep_2',
    healthy: true,
    tests: [],
    problems: ['home: it does not greet'],
  };

  async function rollBack(answers: Parameters<typeof recordedDeploy>[0]) {
    const deploy = recordedDeploy(answers);
    const shop = await openShop({ deploy });
    try {
      const { agents, base, work } = shop;
      const input = { deployment: { ...deployment, commit: base }, verification };
      const result = await work(agents.rollback, input, []);
      return { result, asked: deploy.asked, judge: agents.rollback.judge };
    } finally {
      await shop.close();
    }
  }

  it('gives the traffic back to the version before, with the reason', async () => {
    const { result, asked, judge } = await rollBack({ rollback: async () => ({ to: 'dep_1' }) });
    assert.deepEqual(rollbackSchema.parse(outputOf(result)), {
      status: 'rolled_back',
      from: 'dep_2',
      to: 'dep_1',
      reason: 'home: it does not greet',
      problems: ['home: it does not greet'],
    });
    assert.deepEqual(asked, ['rollback dep_2']);
    assert.ok(result.output);
    assert.deepEqual(judge?.(result.output).kind, 'rollback');
  });

  it('takes the first version out of service, as there is none before it', async () => {
    const { result, asked } = await rollBack({ rollback: async () => nothingToRollBack() });
    assert.deepEqual(
      [outputOf(result).status, asked],
      ['withdrawn', ['rollback dep_2', 'withdraw dep_2']],
    );
  });

  it('that fails ends as failed, with the reason', async () => {
    const { result } = await rollBack({
      rollback: async () => {
        throw new ForgeError('deploy_failed', 'dep_1 does not start any more.');
      },
    });
    assert.deepEqual([result.status, result.reason], ['failed', 'program_failed']);
    assert.match(result.explanation, /dep_1 does not start any more/);
  });
});
