import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { defineTool } from '@forge/core';
import { calls, says } from '@forge/core/testing';
import * as z from 'zod';
import { codeSchema } from '../../contracts.ts';
import { openShop, outputOf, type Shop } from '../agent-fixtures.test.ts';
import { makeFolder } from '../git-fixtures.test.ts';
import { folderFiles } from '../prompt/project-files.ts';

const output = {
  type: 'object',
  properties: { risk: { type: 'integer', minimum: 0, maximum: 10 }, why: { type: 'string' } },
  required: ['risk'],
  additionalProperties: false,
};

describe('an agent of the configuration', () => {
  let shop: Shop;
  let folder: string;
  const ask = defineTool({
    name: 'ask_wiki',
    description: 'Asks.',
    input: z.object({}),
    run: () => 'x',
  });
  before(async () => {
    folder = await makeFolder({
      'auditor.md': 'Judge the risk.',
      '.forge/prompts/poet.md': 'Rhyme.',
    });
    shop = await openShop({ project: folderFiles(folder), tools: [ask] });
  });
  after(async () => {
    await shop.close();
    await rm(folder, { recursive: true });
  });

  it('has its own words, tools and turns, and hands on what its schema says', async () => {
    const auditor = await shop.agents.customAgent('auditor', {
      prompt: 'auditor.md',
      tools: ['read', 'ask_wiki'],
      max_iterations: 9,
      task_type: 'audit',
      output,
    });
    assert.match(auditor.instructions, /^Judge the risk\./);
    assert.match(auditor.version ?? '', /^auditor@[0-9a-f]{8}$/);
    assert.deepEqual(auditor.guard.names, ['read', 'ask_wiki', 'submit']);
    assert.deepEqual([auditor.guard.limits.turns, auditor.taskType], [9, 'audit']);
    const result = await shop.work(auditor, { commit: shop.base }, [
      calls(['read', { path: 'a.txt' }]),
      calls(['submit', { risk: 11 }]),
      calls(['submit', { risk: 3, why: 'small' }]),
    ]);
    assert.deepEqual(outputOf(result), { risk: 3, why: 'small' });
  });

  it('without a schema ends with its answer', async () => {
    const poet = await shop.agents.customAgent('poet', {});
    const result = await shop.work(poet, 'Of spring.', [says('Green, unseen.')]);
    assert.deepEqual([result.status, result.output?.text], ['completed', 'Green, unseen.']);
  });

  it('with finish is a coder of its own', async () => {
    const poet = await shop.agents.customAgent('poet', {
      tools: ['write', 'run_checks', 'finish'],
    });
    const result = await shop.work(poet, 'Add two.', [
      calls(['write', { path: 'a.txt', content: 'two\n' }]),
      calls(['run_checks', {}]),
      calls(['finish', { summary: 's', message: 'm' }]),
    ]);
    assert.deepEqual(codeSchema.parse(outputOf(result)).files, ['a.txt']);
  });

  const wrong: readonly [string, object, RegExp][] = [
    ['a tool that is not there', { tools: ['raed'] }, /names the tool "raed".*Did you mean read/],
    ['no object for its output', { output: { type: 'string' } }, /has to be an object/],
    ['two ways to end', { tools: ['run_checks', 'finish'], output }, /both the tool finish and/],
    ['finish without checks', { tools: ['finish'] }, /run_checks/],
    ['a prompt that is not there', { prompt: 'none.md' }, /none\.md, which is not there/],
  ];
  for (const [what, settings, problem] of wrong) {
    it(`with ${what} is refused at once`, async () => {
      await assert.rejects(shop.agents.customAgent('poet', settings), problem);
    });
  }
});
