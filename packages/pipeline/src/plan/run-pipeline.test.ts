import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineProgram, defineTool, run } from '@forge/core';
import { ScriptedModel } from '@forge/core/testing';
import { checkPipeline } from '../definition/check-pipeline.ts';
import { pipelineNodes } from '../definition/pipeline-nodes.ts';
import { planPipeline } from './plan-pipeline.ts';

const schema = (name: string, type: string) => ({
  type: 'object',
  properties: { [name]: { type } },
  required: [name],
});

describe('a pipeline as a program of the kernel', () => {
  it('runs its nodes, goes round its loop, and ends with its output', async () => {
    const pipeline = checkPipeline(
      {
        name: 'count',
        input: schema('n', 'integer'),
        nodes: {
          add: { agent: 'adder', input: { n: ['add.n', 'input.n'] } },
          look: { agent: 'looker', input: { n: 'add.n' } },
        },
        edges: [
          { from: 'add', to: 'look' },
          { from: 'look', to: 'add', when: { ref: 'look.enough', is: false }, loop: { max: 5 } },
        ],
        output: { n: 'add.n' },
      },
      {
        adder: { input: schema('n', 'integer'), output: schema('n', 'integer') },
        looker: { input: schema('n', 'integer'), output: schema('enough', 'boolean') },
      },
    );
    const work: Record<string, (n: number) => object> = {
      adder: (n) => ({ n: n + 1 }),
      looker: (n) => ({ enough: n >= 3 }),
    };
    const agent = defineProgram({
      name: 'counter',
      program: planPipeline(pipeline),
      tools: pipelineNodes(pipeline).map(({ id, agent: name, description, input }) =>
        defineTool({
          name: id,
          description,
          input,
          run: ({ n }) => JSON.stringify(work[name]?.(Number(n))),
        }),
      ),
    });
    const result = await run(agent, '{"n":0}', { model: new ScriptedModel([]) });
    assert.equal(result.status, 'completed');
    assert.deepEqual(JSON.parse(result.output?.text ?? ''), {
      success: true,
      nodes: [
        { id: 'add', round: 3, attempts: 3, status: 'done' },
        { id: 'look', round: 3, attempts: 3, status: 'done' },
      ],
      output: { n: 3 },
    });
  });
});
