import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calls, says } from '@forge/core/testing';
import { planSchema } from '../../contracts.ts';
import { openShop, outputOf, type Shop } from '../agent-fixtures.test.ts';

const task = { id: 'a', title: 'A', description: 'Do a.' };
const plan = {
  summary: 'One thing.',
  tasks: [task],
  acceptance: [{ id: 'home', description: 'It answers.', http: { path: '/' } }],
};
const look = calls(['read', { path: 'a.txt' }]);

describe('the planner', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  const input = () => ({ request: 'Add two.', commit: shop.base });

  it('looks around and hands in a plan', async () => {
    const result = await shop.work(shop.agents.planner, input(), [
      look,
      calls(['submit_plan', plan]),
    ]);
    const made = planSchema.parse(outputOf(result));
    assert.deepEqual(made.tasks, [{ ...task, dependsOn: [] }]);
    assert.equal(made.acceptance[0]?.http?.status, 200);
  });

  it('has no tool that could change anything', () => {
    const names = shop.agents.planner.guard.names;
    assert.deepEqual(names, [
      'read',
      'list',
      'glob',
      'search',
      'git_status',
      'git_diff',
      'git_log',
      'git_branches',
      'read_result',
      'submit_plan',
    ]);
  });

  it('is told what is wrong with a plan that could not be carried out', async () => {
    const circle = { ...plan, tasks: [{ ...task, dependsOn: ['a'] }] };
    const result = await shop.work(shop.agents.planner, input(), [
      calls(['submit_plan', circle]),
      calls(['submit_plan', plan]),
    ]);
    outputOf(result);
    assert.match(JSON.stringify(result.model.requests[1]), /wait for each other: a → a/);
  });

  it('whose plan never fits ends as failed, with the reason', async () => {
    const wrong = Array.from({ length: 8 }, (_, at) =>
      calls(['submit_plan', { summary: `try ${at}`, tasks: [] }]),
    );
    const result = await shop.work(shop.agents.planner, input(), wrong);
    assert.deepEqual([result.status, result.reason], ['failed', 'retries_exhausted']);
  });

  it('that writes its plan as text is asked to hand it in', async () => {
    const result = await shop.work(shop.agents.planner, input(), [
      says('The plan: do a.'),
      calls(['submit_plan', plan]),
    ]);
    outputOf(result);
  });
});
