import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { checkPipeline } from './check-pipeline.ts';
import type { PipelineInput } from './pipeline-schema.ts';

const text = { type: 'string' };
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const task = object({ id: text, title: text, after: { type: 'array', items: text } });
const agents = {
  planner: {
    input: object({ request: text }),
    output: object({ tasks: { type: 'array', items: task }, notes: text }, ['tasks']),
  },
  coder: {
    input: object({ task, notes: text, hints: { type: 'array', items: text } }, ['task']),
    output: object({ commit: text }),
  },
  reviewer: {
    input: object(
      { commits: { type: 'array', items: object({ commit: text }) }, round: { type: 'integer' } },
      ['commits'],
    ),
    output: object({ verdict: { enum: ['pass', 'fail'] }, hints: { type: 'array', items: text } }),
  },
  free: { input: {}, output: {} },
};

/** A sound pipeline, with changes. */
const pipeline = (change: Partial<PipelineInput> = {}): PipelineInput => ({
  name: 'ship',
  input: object({ request: text }),
  nodes: {
    plan: { agent: 'planner', input: { request: 'input.request' } },
    code: {
      agent: 'coder',
      each: { items: 'plan.tasks', as: 'task', key: 'id', after: 'after' },
      input: { task: 'task', notes: 'plan.notes', hints: 'review.hints' },
    },
    review: { agent: 'reviewer', input: { commits: 'code' } },
  },
  edges: [
    { from: 'plan', to: 'code' },
    { from: 'code', to: 'review' },
    { from: 'review', to: 'code', when: { ref: 'review.verdict', is: 'fail' }, loop: { max: 3 } },
  ],
  ...change,
});

const nodes = (change: PipelineInput['nodes']) => ({ nodes: { ...pipeline().nodes, ...change } });
const edges = (...more: NonNullable<PipelineInput['edges']>) => ({
  edges: [...(pipeline().edges ?? []), ...more],
});

/** The faults of a pipeline, without what is said before them. */
function faultsOf(change: Partial<PipelineInput>): string {
  try {
    checkPipeline(pipeline(change), agents);
  } catch (error) {
    assert.ok(ForgeError.is(error, 'invalid_pipeline'), String(error));
    return error.message.split('\n\n').slice(1).join('\n\n');
  }
  return '';
}

describe('a pipeline that can be run', () => {
  it('is taken as it is, nodes in the order of the graph', () => {
    const { nodes: order } = checkPipeline(pipeline(), agents);
    assert.deepEqual(
      order.map(({ id }) => id),
      ['plan', 'code', 'review'],
    );
  });

  it('may have unknown types, a node that only loops lead to, a loop to itself', () => {
    const change = {
      ...nodes({
        fix: { agent: 'free', input: { why: 'review.hints' } },
        poll: { agent: 'free', input: { before: 'poll.anything.at.all' } },
      }),
      ...edges(
        { from: 'review', to: 'fix', loop: { max: 1 } },
        { from: 'fix', to: 'review' },
        { from: 'review', to: 'poll' },
        { from: 'poll', to: 'poll', when: { ref: 'poll.more', is: true }, loop: { max: 5 } },
      ),
    };
    assert.equal(faultsOf(change), '');
  });
});

describe('a pipeline is refused at load', () => {
  const cases: Record<string, [Partial<PipelineInput>, string]> = {
    'with the cycle, where no loop declares it': [
      edges({ from: 'review', to: 'plan' }),
      `1. Nodes that wait for each other: a cycle that no loop declares.
   plan → code → review → plan
                        ^ give this edge loop: { max: … }, or take it out`,
    ],
    'with the edge that leads to no node': [
      edges({ from: 'review', to: 'depoly' }, { from: 'cod', to: 'review' }),
      `1. An edge names "depoly", which is not a node.
   review → depoly
            ^^^^^^ nodes: plan, code, review

2. An edge names "cod", which is not a node.
   cod → review
   ^^^ did you mean code?`,
    ],
    'with an edge that is there twice': [
      edges({ from: 'plan', to: 'code' }),
      `1. The edge from plan to code is there twice.
   plan → code
        ^ keep one; { any: […] } puts two conditions into one`,
    ],
    'with a loop that does not go back': [
      edges({ from: 'plan', to: 'review', loop: { max: 1 } }),
      `1. The loop from plan to review does not go back: nothing leads from review to plan.
   plan → review
        ^ lead from review to plan, or take the loop off this edge`,
    ],
    'with nodes that are never reached, because they wait for each other': [
      {
        ...nodes({ x: { agent: 'free' }, y: { agent: 'free' } }),
        ...edges({ from: 'x', to: 'y' }, { from: 'y', to: 'x' }),
      },
      `1. Nodes that wait for each other: a cycle that no loop declares.
   x → y → x
         ^ give this edge loop: { max: … }, or take it out`,
    ],
    'with an agent that there is not': [
      nodes({ review: { agent: 'revewer' } }),
      `1. review is to be done by "revewer", which is not an agent.
   plan → code → review
                 ^^^^^^ did you mean reviewer?`,
    ],
    'with a reference to no node': [
      nodes({ review: { agent: 'reviewer', input: { commits: 'coed' } } }),
      `1. nodes.review.input.commits: "coed" names "coed", which is not a node.
   plan → code → review
                 ^^^^^^ did you mean code?`,
    ],
    'with a path that is not in what the node hands on': [
      nodes({ plan: { agent: 'planner', input: { request: 'input.reqest' } } }),
      `1. nodes.plan.input.request: "input.reqest" is not there: input has no "reqest".
   plan
   ^^^^ did you mean request?`,
    ],
    'with a reference to what does not come before': [
      nodes({ plan: { agent: 'planner', input: { request: 'code.0.commit' } } }),
      `1. nodes.plan.input.request: "code.0.commit" is about code, which does not come before it.
   plan
   ^^^^ lead an edge here from code, or from what follows it`,
    ],
    'with a value of another type': [
      nodes({ review: { agent: 'reviewer', input: { commits: 'code', round: 'plan.notes' } } }),
      `1. nodes.review.input.round: plan.notes does not fit: it is a text, and a whole number is needed.
   plan → code → review
                 ^^^^^^ nodes.review.input.round`,
    ],
    'with an object that lacks something, deep inside': [
      nodes({ review: { agent: 'reviewer', input: { commits: 'plan.tasks' } } }),
      `1. nodes.review.input.commits: plan.tasks does not fit: [].commit is needed, and is not there.
   plan → code → review
                 ^^^^^^ nodes.review.input.commits`,
    ],
    'with something needed that nothing gives': [
      nodes({ review: { agent: 'reviewer' } }),
      `1. reviewer needs "commits", and review is not given it.
   plan → code → review
                 ^^^^^^ add it to nodes.review.input`,
    ],
    'with something given that the agent does not take': [
      nodes({ review: { agent: 'reviewer', input: { commits: 'code', commit: 'code' } } }),
      `1. review is given "commit", which reviewer does not take.
   plan → code → review
                 ^^^^^^ did you mean commits?`,
    ],
    'with something needed that may be missing in a valid output': [
      nodes({ more: { agent: 'planner', input: { request: 'plan.notes' } } }),
      `1. nodes.more.input.request: "plan.notes" is about plan, which does not come before it.
   more
   ^^^^ lead an edge here from plan, or from what follows it`,
    ],
    'with something needed from a node that only a loop has run': [
      nodes({
        code: {
          agent: 'coder',
          each: { items: 'review.hints', as: 'task' },
          input: { task: { optional: 'task' } },
        },
      }),
      `1. nodes.code.each.items: review may not have run by then.
   review → code
            ^^^^ nodes.code.each.items has to be a list that is there

2. nodes.code.input.task: task does not fit: it is a text, and an object is needed.
   plan → code
          ^^^^ nodes.code.input.task`,
    ],
    'with an each over something else than a list': [
      nodes({
        code: {
          agent: 'coder',
          each: { items: 'plan.notes', as: 'plan' },
          input: { task: 'plan' },
        },
      }),
      `1. nodes.code.each.items: it is a text, and a list is needed.
   plan → code
          ^^^^ nodes.code.each.items has to be a list that is there

2. nodes.code.each.as: plan is a node too.
   plan → code
          ^^^^ call the item something else`,
    ],
    'with items that are to be done in order and have no names': [
      nodes({
        code: {
          agent: 'coder',
          each: { items: 'plan.tasks', as: 'task', after: 'after' },
          input: { task: 'task' },
        },
      }),
      `1. nodes.code.each.after lists keys, but items have none.
   plan → code
          ^^^^ add nodes.code.each.key`,
    ],
    'with items that have no such property': [
      nodes({
        code: {
          agent: 'coder',
          each: { items: 'plan.tasks', as: 'task', key: 'name' },
          input: { task: 'task' },
        },
      }),
      `1. nodes.code.each.key: items have no "name".
   plan → code
          ^^^^ nodes.code.each.key`,
    ],
    'with a condition on a path that is not there': [
      {
        edges: [
          { from: 'plan', to: 'code', when: { ref: 'plan.ready', exists: true } },
          { from: 'code', to: 'review' },
        ],
      },
      `1. nodes.code.input.hints: "review.hints" is about review, which does not come before it.
   plan → code
          ^^^^ lead an edge here from review, or from what follows it

2. "plan.ready" is not there: plan has no "ready".
   plan → code
        ^ there is: tasks, notes`,
    ],
    'with a condition that can never hold': [
      edges({
        from: 'review',
        to: 'plan',
        loop: { max: 1 },
        when: { any: [{ ref: 'review.verdict', in: ['pass', 'maybe'] }] },
      }),
      `1. The condition "review.verdict is one of ["pass","maybe"]" compares with "maybe", which it can never be.
   review → plan
          ^ it is one of "pass", "fail"`,
    ],
    'with an output that is nowhere': [
      { output: { commit: 'review.commit' } },
      `1. output.commit: "review.commit" is not there: review has no "commit".
   plan → code → review
                 ^^^^^^ there is: verdict, hints`,
    ],
    'with a schema that is none': [
      { input: { type: 'objekt' } },
      `1. The schema of input cannot be used.
   The JSON Schema is not valid at #/type: "objekt" is not a JSON type. Use one of: string, integer, number, boolean, object, array, null.`,
    ],
  };
  for (const [name, [change, expected]] of Object.entries(cases)) {
    it(name, () => assert.equal(faultsOf(change), expected));
  }

  it('with something needed that may be missing, though it comes from before', () => {
    const change = {
      ...nodes({ more: { agent: 'planner', input: { request: 'plan.notes' } } }),
      ...edges({ from: 'plan', to: 'more' }),
    };
    assert.equal(
      faultsOf(change),
      `1. nodes.more.input.request is needed, but plan.notes may be missing.
   plan → more
          ^^^^ give it from a node that has always run by then, or a list whose last is always there`,
    );
    const both = {
      ...change,
      ...nodes({ more: { agent: 'planner', input: { request: ['plan.notes', 'input.request'] } } }),
    };
    assert.equal(faultsOf(both), '');
  });

  it('with everything that is wrong, in one message', () => {
    const message = faultsOf({
      ...nodes({ review: { agent: 'nobody' } }),
      ...edges({ from: 'review', to: 'plan' }, { from: 'a', to: 'b' }),
      output: { x: 'y' },
    });
    assert.match(message, /^1\. [\s\S]*\n2\. [\s\S]*\n3\. [\s\S]*\n4\. /);
  });

  it('also if every part of it is as large as it may be', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const chain = ids.slice(1).map((to, index) => ({ from: ids[index] ?? '', to }));
    const change = {
      nodes: Object.fromEntries(
        ids.map((id) => [id, { agent: 'free', input: { a: ids.slice(0, 5) } }]),
      ),
      edges: [...chain, { from: 'n199', to: 'n0' }],
    };
    assert.match(faultsOf(change), /n0 → n1 → n2 → … → n196 → n197 → n198 → n199 → n0/);
  });
});
