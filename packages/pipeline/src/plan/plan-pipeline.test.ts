import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, ProgramCall } from '@forge/core';
import { checkPipeline } from '../definition/check-pipeline.ts';
import type { PipelineInput } from '../definition/pipeline-schema.ts';
import { planPipeline } from './plan-pipeline.ts';
import { resultOf, type Simulated, simulate } from './simulate.test.ts';

const agents = {
  any: { input: {}, output: {} },
  strict: {
    input: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] },
    output: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  },
  writer: { input: {}, output: { type: 'string' } },
};

type Nodes = PipelineInput['nodes'];
type Answers = Record<string, JsonValue | Error>;

/** A node of an agent that takes and hands on anything. */
const any = (input: Nodes[string]['input'] = {}, more: Partial<Nodes[string]> = {}) => ({
  agent: 'any',
  input,
  ...more,
});

/** Runs a pipeline; calls of which nothing is said hand on `{}`. */
function run(
  pipeline: Omit<PipelineInput, 'name'>,
  answers: Answers = {},
  {
    input = {},
    pick = () => [0],
  }: { input?: Record<string, JsonValue>; pick?: (open: number) => number[] } = {},
): Simulated {
  const checked = checkPipeline({ name: 'p', ...pipeline }, agents);
  const answer = ({ id }: ProgramCall) => {
    const value = Object.hasOwn(answers, id) ? answers[id] : {};
    return value instanceof Error ? { failure: value.message } : { value: value ?? null };
  };
  return simulate(planPipeline(checked), { input, answer, pick });
}

const statuses = (done: Simulated) =>
  Object.fromEntries(resultOf(done).nodes.map(({ id, status }) => [id, status]));
const why = ({ end }: Simulated) =>
  end.type === 'fail' ? end.explanation : assert.fail('it did not fail');
const argsOf = ({ calls }: Simulated, id: string) => calls.find((call) => call.id === id)?.args;

describe('the nodes of a pipeline', () => {
  it('begin when what is before them is done, and are given what was handed on', () => {
    const done = run(
      {
        nodes: {
          a: any({ x: 'input.x' }),
          b: any({ x: 'a.x', all: 'a', fixed: { value: [1] }, none: { optional: 'a.none' } }),
        },
        edges: [{ from: 'a', to: 'b' }],
        output: { both: 'b', first: ['a.none', 'a.x'] },
      },
      { 'a#1.1': { x: 2 }, 'b#1.1': { y: 3 } },
      { input: { x: 1 } },
    );
    assert.deepEqual(argsOf(done, 'a#1.1'), { x: 1 });
    assert.deepEqual(argsOf(done, 'b#1.1'), { x: 2, all: { x: 2 }, fixed: [1] });
    assert.deepEqual(resultOf(done), {
      success: true,
      nodes: [
        { id: 'a', round: 1, attempts: 1, status: 'done' },
        { id: 'b', round: 1, attempts: 1, status: 'done' },
      ],
      output: { both: { y: 3 }, first: 2 },
    });
  });

  it('that are independent run side by side, as many as may', () => {
    const nodes = { a: any(), b: any(), c: any(), d: any() };
    assert.equal(run({ nodes }).mostOpen, 4);
    assert.equal(run({ nodes, parallel: 3 }).mostOpen, 3);
  });

  it('that no edge fires for are skipped, and so is what only follows them', () => {
    const done = run(
      {
        nodes: { a: any(), b: any(), c: any(), d: any(), e: any() },
        edges: [
          { from: 'a', to: 'b', when: { ref: 'a.go', is: 'b' } },
          { from: 'a', to: 'c', when: { ref: 'a.go', not: 'b' } },
          { from: 'b', to: 'd' },
          { from: 'c', to: 'e' },
          { from: 'd', to: 'e' },
        ],
      },
      { 'a#1.1': { go: 'c' } },
    );
    assert.deepEqual(done.ids, ['a#1.1', 'c#1.1', 'e#1.1']);
    assert.deepEqual(statuses(done), {
      a: 'done',
      b: 'skipped',
      c: 'done',
      d: 'skipped',
      e: 'done',
    });
  });

  it('are asked about by conditions that hold or do not', () => {
    const holds = (when: NonNullable<PipelineInput['edges']>[number]['when']) =>
      run(
        { nodes: { a: any(), b: any() }, edges: [{ from: 'a', to: 'b', when }] },
        { 'a#1.1': { n: 1, list: ['x'], nothing: null } },
      ).ids.includes('b#1.1');
    assert.ok(holds({ ref: 'a.n', is: 1 }));
    assert.ok(!holds({ ref: 'a.n', is: '1' }));
    assert.ok(holds({ ref: 'a.list.0', in: ['x', 'y'] }));
    assert.ok(holds({ ref: 'a.nothing', is: null }));
    assert.ok(holds({ ref: 'a.gone', not: 1 }));
    assert.ok(!holds({ ref: 'a.gone', is: null }));
    assert.ok(holds({ ref: 'a.gone', exists: false }));
    assert.ok(!holds({ ref: 'a.list.length', exists: true }));
    assert.ok(holds({ ref: ['a.gone', 'a.n'], is: 1 }));
    assert.ok(
      holds({
        all: [
          { ref: 'a.n', is: 1 },
          {
            any: [
              { ref: 'a.n', is: 2 },
              { ref: 'a.n', exists: true },
            ],
          },
        ],
      }),
    );
    assert.ok(
      !holds({
        all: [
          { ref: 'a.n', is: 1 },
          { ref: 'a.n', not: 1 },
        ],
      }),
    );
  });
});

describe('a node that fails', () => {
  const two = (more: Partial<Nodes[string]>, onFailure: 'stop' | 'finish' = 'stop') => ({
    onFailure,
    nodes: { a: any({}, more), slow: any(), b: any({ a: { optional: 'a' } }) },
    edges: [
      { from: 'a', to: 'b' },
      { from: 'slow', to: 'b' },
    ],
  });

  it('is tried again as often as it may be, and sees why it failed', () => {
    const pipeline = {
      nodes: { a: any({ before: { optional: 'failure' } }, { retries: 2 }) },
      edges: [],
    };
    const done = run(pipeline, { 'a#1.1': new Error('one'), 'a#1.2': new Error('two') });
    assert.deepEqual(done.ids, ['a#1.1', 'a#1.2', 'a#1.3']);
    assert.deepEqual(
      done.calls.map(({ args }) => args),
      [{}, { before: 'one' }, { before: 'two' }],
    );
    assert.equal(resultOf(done).nodes[0]?.attempts, 3);
    const all = {
      'a#1.1': new Error('one'),
      'a#1.2': new Error('two'),
      'a#1.3': new Error('three'),
    };
    assert.equal(why(run(pipeline, all)), 'a (any) failed after 3 attempts: three');
  });

  it('has failed too if what it hands on is not JSON, or not what its agent promises', () => {
    const pipeline = { nodes: { a: { agent: 'strict', input: { n: { value: 1 } }, retries: 1 } } };
    assert.deepEqual(run(pipeline, { 'a#1.1': { n: 'x' }, 'a#1.2': { n: 2 } }).ids, [
      'a#1.1',
      'a#1.2',
    ]);
    assert.equal(
      why(run(pipeline, { 'a#1.1': 'x', 'a#1.2': { n: 'x' } })),
      'a (strict) failed after 2 attempts: its output does not fit: n must be an integer, received the string "x"',
    );
    const view = {
      input: ['{}'],
      calls: [1, 2].map((attempt) => ({
        id: `a#1.${attempt}`,
        name: 'a',
        args: {},
        status: 'ok' as const,
        text: 'Sure!',
      })),
    };
    const step = planPipeline(checkPipeline({ name: 'p', ...pipeline }, agents))(view);
    assert.match(
      step.type === 'fail' ? step.explanation : '',
      /^a \(strict\) failed after 2 attempts: its output is not JSON/,
    );
  });

  it('may hand on a text as it is, if that is what its agent promises', () => {
    const checked = checkPipeline(
      { name: 'p', nodes: { a: { agent: 'writer' } }, output: { text: 'a' } },
      agents,
    );
    for (const text of ['Once upon a time', '12', '"quoted"']) {
      const call = { id: 'a#1.1', name: 'a', args: {}, status: 'ok' as const, text };
      const step = planPipeline(checked)({ input: ['{}'], calls: [call] });
      const output = step.type === 'finish' ? JSON.parse(step.output).output.text : step;
      assert.equal(output, text === '"quoted"' ? 'quoted' : text);
    }
  });

  it('has failed without a call if it cannot be given what it needs', () => {
    const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const pipeline = {
      input,
      nodes: { a: { agent: 'strict', input: { n: 'input.n' }, retries: 3 } },
    };
    const done = run(pipeline, {}, { input: { n: 0 } });
    assert.deepEqual(done.ids, []);
    assert.match(why(done), /^a \(strict\) failed: what it is given does not fit: n must be/);
  });

  it('stops the rest at once', () => {
    const done = run(two({}), { 'a#1.1': new Error('broken') });
    assert.equal(why(done), 'a (any) failed: broken');
    assert.deepEqual(
      done.calls.map(({ status }) => status),
      ['failed', 'open'],
    );
  });

  it('ends at once when one that stops it fails, whatever another would wait for', () => {
    const nodes = { a: any({}, { onFailure: 'finish' }), b: any(), c: any() };
    const done = run({ nodes }, { 'a#1.1': new Error('no'), 'b#1.1': new Error('stop') });
    assert.match(why(done), /a \(any\) failed: no\nb \(any\) failed: stop/);
    assert.equal(done.calls.find(({ id }) => id === 'c#1.1')?.status, 'open');
  });

  it('lets what runs be finished, if that is the policy, and begins nothing', () => {
    for (const pipeline of [two({}, 'finish'), two({ onFailure: 'finish' })]) {
      const done = run(pipeline, { 'a#1.1': new Error('broken') });
      assert.equal(why(done), 'a (any) failed: broken');
      assert.deepEqual(
        done.calls.map(({ id, status }) => [id, status]),
        [
          ['a#1.1', 'failed'],
          ['slow#1.1', 'ok'],
        ],
      );
    }
  });

  it('counts as skipped, if the pipeline is to go on', () => {
    const done = run(two({ onFailure: 'continue' }), { 'a#1.1': new Error('broken') });
    assert.deepEqual(statuses(done), { a: 'failed', slow: 'done', b: 'done' });
    assert.deepEqual(argsOf(done, 'b#1.1'), {});
  });
});

describe('a loop', () => {
  const reviewed = (loop: object = {}) => ({
    nodes: {
      write: any({ hints: 'review.hints', mine: 'write.n' }),
      review: any({ n: 'write.n' }),
      ship: any({ n: 'write.n' }),
    },
    edges: [
      { from: 'write', to: 'review' },
      { from: 'review', to: 'ship' },
      {
        from: 'review',
        to: 'write',
        when: { ref: 'review.ok', is: false },
        loop: { max: 2, ...loop },
      },
    ],
  });
  const no = (hints: string) => ({ ok: false, hints });

  it('does its target and what follows anew, with what was handed on before', () => {
    const done = run(reviewed(), {
      'write#1.1': { n: 1 },
      'review#1.1': no('more'),
      'write#2.1': { n: 2 },
    });
    assert.deepEqual(done.ids, ['write#1.1', 'review#1.1', 'write#2.1', 'review#2.1', 'ship#1.1']);
    assert.deepEqual(argsOf(done, 'write#1.1'), {});
    assert.deepEqual(argsOf(done, 'write#2.1'), { hints: 'more', mine: 1 });
    assert.deepEqual(argsOf(done, 'ship#1.1'), { n: 2 });
    assert.deepEqual(
      resultOf(done).nodes.map(({ id, round }) => [id, round]),
      [
        ['write', 2],
        ['review', 2],
        ['ship', 1],
      ],
    );
  });

  it('that is used up fails the run, and says which it was', () => {
    const never = { 'review#1.1': no('a'), 'review#2.1': no('b'), 'review#3.1': no('c') };
    const done = run(reviewed(), never);
    assert.equal(
      why(done),
      'review failed: review sent the work back to write 2 times; the most there may be',
    );
    assert.equal(done.ids.includes('ship#1.1'), false);
    const named = { name: 'max_review_rounds', because: 'review.hints' };
    assert.equal(
      why(run(reviewed(named), never)),
      'review failed: review sent the work back to write 2 times; max_review_rounds is 2: c',
    );
    const words = { exhausted: 'nobody is content', because: 'review.hints' };
    assert.equal(why(run(reviewed(words), never)), 'review failed: nobody is content: c');
  });

  it('wakes a node that nothing else leads to, which is dormant until then', () => {
    const pipeline = {
      nodes: { write: any(), fix: any({ hints: 'review.hints' }), review: any() },
      edges: [
        { from: 'write', to: 'review' },
        { from: 'fix', to: 'review' },
        { from: 'review', to: 'fix', when: { ref: 'review.ok', is: false }, loop: { max: 1 } },
      ],
    };
    assert.deepEqual(statuses(run(pipeline)), { write: 'done', fix: 'dormant', review: 'done' });
    const done = run(pipeline, { 'review#1.1': no('x') });
    assert.deepEqual(done.ids, ['write#1.1', 'review#1.1', 'fix#1.1', 'review#2.1']);
  });

  it('waits for what else it will do anew, and not for what it will not', () => {
    const pipeline = {
      nodes: { apart: any(), a: any(), b: any(), check: any() },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'check' },
        { from: 'check', to: 'a', when: { ref: 'check.ok', is: false }, loop: { max: 1 } },
      ],
    };
    // The last open call ends first: `apart` begins first and ends last.
    const done = run(pipeline, { 'check#1.1': no('') }, { pick: (open) => [open - 1] });
    assert.deepEqual(done.ids, [
      'apart#1.1',
      'a#1.1',
      'b#1.1',
      'check#1.1',
      'a#2.1',
      'b#2.1',
      'check#2.1',
    ]);
    const second = done.steps.find(
      ({ step }) => step.type === 'call' && step.calls.some(({ id }) => id === 'a#2.1'),
    );
    assert.deepEqual(
      second?.view.calls.map(({ id, status }) => `${id} ${status}`),
      ['apart#1.1 open', 'a#1.1 ok', 'b#1.1 ok', 'check#1.1 ok'],
    );
  });

  it('shows its target what settled before its source, though it does not come before the target', () => {
    const done = run(
      {
        nodes: { side: any(), begin: any(), a: any({ side: 'side.n' }), check: any() },
        edges: [
          { from: 'side', to: 'check' },
          { from: 'begin', to: 'a' },
          { from: 'a', to: 'check' },
          { from: 'check', to: 'a', when: { ref: 'check.ok', is: false }, loop: { max: 1 } },
        ],
        parallel: 1,
      },
      { 'side#1.1': { n: 7 }, 'check#1.1': no('') },
    );
    // In the first round whether it is there would be left to chance: it is not looked at.
    assert.deepEqual(argsOf(done, 'a#1.1'), {});
    assert.deepEqual(argsOf(done, 'a#2.1'), { side: 7 });
  });

  it('may lead from a node to itself, and to the node a run begins with', () => {
    const edges = [
      { from: 'poll', to: 'poll', when: { ref: 'poll.more', is: true }, loop: { max: 5 } },
    ];
    const done = run(
      { nodes: { poll: any({ n: 'poll.n' }) }, edges },
      { 'poll#1.1': { more: true, n: 1 } },
    );
    assert.deepEqual(
      done.calls.map(({ id, args }) => [id, args]),
      [
        ['poll#1.1', {}],
        ['poll#2.1', { n: 1 }],
      ],
    );
  });
});

describe('a node with each', () => {
  const each = { items: 'input.list', as: 'item', key: 'id', after: 'after' };
  const nodes = { a: any({ item: 'item', done: 'done' }, { each }), b: any({ all: 'a' }) };
  const pipeline = {
    nodes,
    edges: [{ from: 'a', to: 'b' }],
    input: { type: 'object', properties: { list: {} }, required: ['list'] },
  };
  const list: JsonValue[] = [{ id: 'x', after: ['z', 'y'] }, { id: 'y' }, { id: 'z' }];

  it('runs once for each item, those first that others wait for, and hands on the list', () => {
    const answers = { 'a[x]#1.1': 1, 'a[y]#1.1': 2, 'a[z]#1.1': 3 };
    const done = run(pipeline, answers, { input: { list } });
    assert.deepEqual(done.ids, ['a[y]#1.1', 'a[z]#1.1', 'a[x]#1.1', 'b#1.1']);
    assert.deepEqual(argsOf(done, 'a[y]#1.1'), { item: list[1], done: [] });
    // In the order of the list.
    assert.deepEqual(argsOf(done, 'a[x]#1.1'), { item: list[0], done: [2, 3] });
    assert.deepEqual(argsOf(done, 'b#1.1'), { all: [1, 2, 3] });
  });

  it('is done at once if there are no items', () => {
    assert.deepEqual(run(pipeline, {}, { input: { list: [] } }).ids, ['b#1.1']);
  });

  it('names items by their place if they have no key', () => {
    const plain = {
      ...pipeline,
      nodes: { a: any({ item: 'it' }, { each: { items: 'input.list', as: 'it' } }) },
      edges: [],
    };
    assert.deepEqual(run(plain, {}, { input: { list: ['p', 'q'] } }).ids, ['a[0]#1.1', 'a[1]#1.1']);
  });

  it('fails if its list is none, or cannot be worked through', () => {
    const reason = (value: JsonValue) =>
      why(run(pipeline, {}, { input: { list: value } })).replace('a (any) failed: ', '');
    assert.equal(reason('x'), 'there is no list of items');
    assert.equal(reason([{ id: 'x' }, { id: 'x' }]), 'two items are called "x"');
    assert.equal(reason([{ id: 'x', after: ['q'] }]), 'item x waits for "q", which is not an item');
    assert.equal(
      reason([
        { id: 'x', after: ['y'] },
        { id: 'y', after: ['x'] },
      ]),
      'items wait for each other: x → y → x',
    );
    assert.match(reason([{ id: 'x y' }]), /^item 0 has no usable "id"/);
    assert.match(reason([{ id: '#1.1]' }]), /^item 0 has no usable "id"/);
    assert.match(
      reason(Array.from({ length: 201 }, (_, id) => ({ id }))),
      /^there are 201 items, more than 200/,
    );
  });

  it('tries each item again by itself, and fails with the item', () => {
    const retried = { ...pipeline, nodes: { ...nodes, a: { ...nodes.a, retries: 1 } } };
    const input = { list };
    const done = run(retried, { 'a[y]#1.1': new Error('no') }, { input });
    assert.deepEqual(done.ids, ['a[y]#1.1', 'a[z]#1.1', 'a[y]#1.2', 'a[x]#1.1', 'b#1.1']);
    const broken = { 'a[y]#1.1': new Error('no'), 'a[y]#1.2': new Error('still no') };
    assert.equal(
      why(run(retried, broken, { input })),
      'a (any) failed after 2 attempts: item y: still no',
    );
  });

  it('goes on without the items that failed and those that waited for them, if it is to go on', () => {
    const going = {
      ...pipeline,
      nodes: { ...nodes, a: { ...nodes.a, onFailure: 'continue' as const } },
    };
    const answers = { 'a[y]#1.1': new Error('no'), 'a[z]#1.1': 3 };
    const done = run(going, answers, { input: { list } });
    assert.deepEqual(done.ids, ['a[y]#1.1', 'a[z]#1.1', 'b#1.1']);
    assert.deepEqual(argsOf(done, 'b#1.1'), { all: [3] });
    const none = run(going, { ...answers, 'a[z]#1.1': new Error('no') }, { input: { list } });
    assert.deepEqual(statuses(none), { a: 'failed', b: 'skipped' });
  });
});

describe('a run that is given something else than its pipeline takes', () => {
  it('fails before anything begins', () => {
    const checked = checkPipeline(
      { name: 'p', input: { type: 'object', required: ['x'] }, nodes: { a: { agent: 'any' } } },
      agents,
    );
    for (const [input, reason] of [
      [['Hello'], 'it is not JSON'],
      [[], 'it is not JSON'],
      [['{}'], 'x is required'],
    ] as const) {
      const step = planPipeline(checked)({ input, calls: [] });
      assert.equal(step.type, 'fail');
      assert.match(
        step.type === 'fail' ? step.explanation : '',
        /The pipeline was given something else than it takes/,
        reason,
      );
    }
  });
});

describe('planning', () => {
  it('looks at each call once: 200 nodes that have run five times', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const chain = ids.slice(1).map((to, index) => ({ from: ids[index] ?? '', to }));
    const back = {
      from: 'n199',
      to: 'n0',
      when: { ref: 'n199.again', is: true },
      loop: { max: 4 },
    };
    const checked = checkPipeline(
      {
        name: 'p',
        nodes: Object.fromEntries(ids.map((id) => [id, any()])),
        edges: [...chain, back],
      },
      agents,
    );
    let looked = 0;
    const calls = [1, 2, 3, 4, 5].flatMap((round) =>
      ids.map(
        (id): ProgramCall => ({
          id: `${id}#${round}.1`,
          name: id,
          args: {},
          text: JSON.stringify({ again: round < 5 }),
          get status() {
            looked++;
            return 'ok' as const;
          },
        }),
      ),
    );
    assert.equal(planPipeline(checked)({ input: ['{}'], calls }).type, 'finish');
    assert.ok(looked <= 4 * calls.length, `${looked} looks at ${calls.length} calls`);
  });
});

describe('an agent that hands on what nobody could read on', () => {
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  for (const depth of [1_000, 20_000, 1_000_000]) {
    it(`fails, and with it the run: lists in lists, ${depth} deep`, () => {
      const checked = checkPipeline(
        {
          name: 'p',
          nodes: { a: any(), b: any({ x: 'a' }) },
          edges: [{ from: 'a', to: 'b', when: { ref: 'a', not: 1 } }],
          output: { x: 'b' },
        },
        agents,
      );
      const call = { id: 'a#1.1', name: 'a', args: {}, status: 'ok', text: deep(depth) } as const;
      const step = planPipeline(checked)({ input: ['{}'], calls: [call] });
      assert.ok(step.type === 'fail');
      assert.match(step.explanation, /a \(any\) failed: its output is nested more than 100 deep/);
    });
  }
});
