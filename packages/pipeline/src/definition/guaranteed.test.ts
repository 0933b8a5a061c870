import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answers, drawn, input, picks, write } from '../plan/drawn-pipeline.test.ts';
import { planPipeline } from '../plan/plan-pipeline.ts';
import { simulate } from '../plan/simulate.test.ts';
import { checkPipeline } from './check-pipeline.ts';
import { guaranteedBefore } from './guaranteed.ts';
import { parsePipeline } from './parse-pipeline.ts';
import type { PipelineInput } from './pipeline-schema.ts';

const output = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, from: { type: 'string' } },
  required: ['ok', 'from'],
};

/** What is certain at a node of a pipeline with these edges. */
function certain(at: string, edges: NonNullable<PipelineInput['edges']>): string[] {
  const ids = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const nodes = Object.fromEntries(ids.map((id) => [id, { agent: 'a' }]));
  const definition = parsePipeline({ name: 'p', nodes, edges });
  return [...(guaranteedBefore(definition, definition.edges).get(at) ?? [])].sort();
}

const when = { ref: 'input.x', is: 1 };

describe('what has certainly been handed on when a node begins', () => {
  it('is everything on the one way to it', () => {
    assert.deepEqual(
      certain('c', [
        { from: 'a', to: 'b', when },
        { from: 'b', to: 'c' },
      ]),
      ['a', 'b'],
    );
  });

  it('is what several ways have in common, where they have conditions', () => {
    const edges = [
      { from: 'a', to: 'b', when },
      { from: 'a', to: 'c', when },
      { from: 'b', to: 'd' },
      { from: 'c', to: 'd' },
    ];
    assert.deepEqual(certain('d', edges), ['a']);
  });

  it('is all of them where they have none', () => {
    const edges = [
      { from: 'z', to: 'a', when },
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'd' },
      { from: 'c', to: 'd' },
    ];
    assert.deepEqual(certain('d', edges), ['a', 'b', 'c', 'z']);
  });

  it('is what a loop comes from, where only loops lead', () => {
    const edges = [
      { from: 'code', to: 'review' },
      { from: 'fix', to: 'review' },
      { from: 'review', to: 'fix', when, loop: { max: 3 } },
    ];
    assert.deepEqual(certain('fix', edges), ['code', 'review']);
    assert.deepEqual(certain('review', edges), ['code']);
  });

  it('is really there, whatever the pipeline and whatever comes back', () => {
    fc.assert(
      fc.property(drawn, fc.nat(1_000_000), fc.nat(100), (pipeline, seed, failures) => {
        const definition = parsePipeline(write(pipeline));
        const sure = guaranteedBefore(definition, definition.edges);
        const agents: Record<string, { input: object; output: object }> = {};
        for (const [id, node] of Object.entries(definition.nodes)) {
          const needed = [...(sure.get(id) ?? [])];
          node.agent = `agent-${id}`;
          node.input = Object.fromEntries(needed.map((name) => [name, name]));
          agents[node.agent] = {
            input: {
              type: 'object',
              properties: Object.fromEntries(needed.map((name) => [name, {}])),
              required: needed,
            },
            output,
          };
        }
        const checked = checkPipeline(definition, agents as Parameters<typeof checkPipeline>[1]);
        const { end } = simulate(planPipeline(checked), {
          input,
          answer: answers(seed, failures),
          pick: picks(seed),
        });
        if (end.type === 'fail') assert.doesNotMatch(end.explanation, /what it is given/);
      }),
      { numRuns: 500 },
    );
  });
});
