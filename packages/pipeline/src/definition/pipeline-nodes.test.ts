import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPipeline } from './check-pipeline.ts';
import { pipelineNodes } from './pipeline-nodes.ts';

describe('the tools of a pipeline', () => {
  it('are its nodes, each with the schemas of its agent', () => {
    const input = { type: 'object', properties: { x: { type: 'string' } } };
    const output = { type: 'string' };
    const checked = checkPipeline(
      {
        name: 'p',
        nodes: {
          b: { agent: 'writer', each: { items: { value: [1] }, as: 'it' } },
          a: { agent: 'writer', timeLimitMs: 1_000 },
        },
        edges: [{ from: 'a', to: 'b' }],
      },
      { writer: { input, output } },
    );
    assert.deepEqual(pipelineNodes(checked), [
      {
        id: 'a',
        agent: 'writer',
        description: 'The node a, done by writer.',
        timeLimitMs: 1_000,
        input,
        output,
      },
      { id: 'b', agent: 'writer', description: 'One it of b, done by writer.', input, output },
    ]);
  });
});
