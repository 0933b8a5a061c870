import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, ProgramCall } from '@forge/core';
import { checkPipeline } from '../definition/check-pipeline.ts';
import type { PipelineInput } from '../definition/pipeline-schema.ts';
import { planPipeline } from './plan-pipeline.ts';

const agents = { any: { input: {}, output: {} } };
const node = (input: PipelineInput['nodes'][string]['input'] = {}) => ({ agent: 'any', input });

const article = {
  name: 'article',
  nodes: { write: node({ topic: 'input.topic' }), edit: node({ text: 'write' }) },
  edges: [
    { from: 'write', to: 'edit' },
    { from: 'edit', to: 'write', when: { ref: 'edit', is: 'again' }, loop: { max: 1 } },
  ],
} satisfies PipelineInput;

const done = (id: string, args: Record<string, JsonValue>, value: JsonValue): ProgramCall => ({
  ...{ id, name: id.slice(0, id.indexOf('#')).replace(/\[.*/, ''), args },
  ...{ status: 'ok', text: JSON.stringify(value) },
});

const soFar = [
  done('write#1.1', { topic: 'tea' }, 'draft'),
  done('edit#1.1', { text: 'draft' }, 'again'),
  done('write#2.1', { topic: 'tea' }, 'better'),
];

/** What a pipeline does next with calls that were made before. */
function next(pipeline: PipelineInput, calls: readonly ProgramCall[] = soFar) {
  const step = planPipeline(checkPipeline(pipeline, agents))({ input: ['{"topic":"tea"}'], calls });
  return step.type === 'call' ? step.calls.map(({ id }) => id) : step;
}

const refuses = (pipeline: PipelineInput, id: string, calls?: readonly ProgramCall[]) =>
  assert.deepEqual(next(pipeline, calls), {
    type: 'fail',
    explanation: `The pipeline "article" was changed after this run began: the run made the call ${id}, which the pipeline would not make so any more. Begin a new run.`,
  });

describe('a pipeline that was changed while a run was under way', () => {
  it('goes on where it would have made the same calls: a bound is raised, a node comes after', () => {
    assert.deepEqual(next(article), ['edit#2.1']);
    const [first, loop] = article.edges;
    const raised = { ...article, edges: [first, { ...loop, loop: { max: 5 } }] } as PipelineInput;
    assert.deepEqual(next(raised), ['edit#2.1']);
    const longer = {
      ...article,
      nodes: { ...article.nodes, print: node({ text: 'write' }) },
      edges: [...article.edges, { from: 'edit', to: 'print' }],
    };
    assert.deepEqual(next(longer), ['edit#2.1']);
  });

  it('refuses where a node that has run is gone, or has another name', () => {
    refuses({ ...article, nodes: { write: article.nodes.write }, edges: [] }, 'edit#1.1');
    const nodes = { pen: article.nodes.write };
    refuses({ ...article, nodes, edges: [] }, 'write#1.1');
  });

  it('refuses where a node that has run would wait for another now', () => {
    const nodes = { ...article.nodes, plan: node() };
    refuses(
      { ...article, nodes, edges: [...article.edges, { from: 'plan', to: 'write' }] },
      'write#1.1',
    );
  });

  it('refuses where a loop that was gone would not be', () => {
    const [first, loop] = article.edges;
    const when = { ref: 'edit', is: 'once more' };
    refuses({ ...article, edges: [first, { ...loop, when }] } as PipelineInput, 'write#2.1');
  });

  it('refuses where a call would be given something else: an item is no other for its place', () => {
    const nodes = { write: node({ topic: { value: 'coffee' } }), edit: article.nodes.edit };
    refuses({ ...article, nodes }, 'write#1.1');
    const listing = (items: string) => ({
      name: 'article',
      nodes: {
        list: node(),
        build: { ...node({ part: 'part' }), each: { items, as: 'part' } },
      },
      edges: [{ from: 'list', to: 'build' }],
    });
    const calls = [
      done('list#1.1', {}, { parts: ['a', 'b'], modules: ['m', 'n'] }),
      done('build[0]#1.1', { part: 'a' }, 1),
    ];
    assert.deepEqual(next(listing('list.parts'), calls), ['build[1]#1.1']);
    refuses(listing('list.modules'), 'build[0]#1.1', calls);
  });

  it('takes a call for the same whose arguments were redacted when they were kept', () => {
    const calls = [done('write#1.1', { topic: '[redacted:key]' }, 'draft')];
    assert.deepEqual(next(article, calls), ['edit#1.1']);
  });
});
