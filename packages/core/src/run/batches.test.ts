import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AgentOptions, defineAgent } from '../agents/define-agent.ts';
import type { RunEvent } from '../kernel/events.ts';
import { calls, ScriptedModel } from '../testing/scripted-model.ts';
import { defineTool, type Tool } from '../tools/define-tool.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-types.ts';

const input = { type: 'object' };
const make = (name: string, more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({ name, description: '', input, run: () => `${name} ran`, ...more } as Parameters<
    typeof defineTool
  >[0]);
const fails = () => Promise.reject(new Error('broken'));

const ended = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool.finished' ? [`${event.name} ${event.outcome}`] : [],
  );

function go(
  tools: Tool[],
  batches: string[][],
  { rules, ...options }: Partial<RunOptions> & { rules?: Partial<AgentOptions> } = {},
) {
  const lines = batches.map((names) => calls(...names.map((name) => [name, {}] as const)));
  return run(defineAgent({ name: 'a', tools, ...rules }), 'Go', {
    model: new ScriptedModel([...lines, 'done']),
    ...options,
  });
}

describe('a batch of calls', () => {
  it('ends by its terminal call only after the others, even if one of them fails', async () => {
    const result = await go([make('work', { run: fails }), make('end')], [['end', 'work']], {
      rules: { terminalTools: ['end'] },
    });
    assert.equal(result.reason, 'terminal_tool');
    assert.deepEqual(ended(result.events).sort(), ['end ok', 'work error']);
  });

  it('with two terminal calls ends by the first that succeeds', async () => {
    const rules = { terminalTools: ['one', 'two'] };
    const both = await go([make('one'), make('two')], [['one', 'two']], { rules });
    assert.equal(both.output?.call?.name, 'one');
    const second = await go([make('one', { run: fails }), make('two')], [['one', 'two']], {
      rules,
    });
    assert.equal(second.output?.call?.name, 'two');
  });

  it('runs its free calls while one waits for the outside, whatever the limit', async () => {
    const tools = [make('outside', { run: undefined }), make('free')];
    const paused = await go(tools, [['outside', 'free', 'free']], {
      rules: { limits: { parallelTools: 1 } },
    });
    assert.equal(paused.status, 'paused');
    assert.deepEqual(ended(paused.events), ['free ok', 'free ok']);
    assert.deepEqual(
      paused.pending.map(({ name }) => name),
      ['outside'],
    );
  });

  it('runs its free calls while a person decides on another', async () => {
    const tools = [make('risky', { approval: true }), make('free')];
    const result = await go(tools, [['risky', 'free']], {
      approve: () =>
        new Promise((resolve) => setTimeout(resolve, 5, { approved: false, reason: 'No' })),
    });
    assert.deepEqual(ended(result.events), ['free ok', 'risky denied']);
    assert.match(JSON.stringify(result.messages), /said no to this call: No\. Do not/);
  });

  it('counts its failures one by one, and forgives them at a success', async () => {
    const tools = [make('bad', { run: fails }), make('good')];
    const three = await go(tools, [['bad', 'bad', 'bad']]);
    assert.equal(three.reason, 'tool_errors');
    const forgiven = await go(tools, [
      ['bad', 'bad', 'good'],
      ['bad', 'bad'],
    ]);
    assert.equal(forgiven.reason, 'answered');
    const again = await go(tools, [['good', 'bad', 'bad'], ['bad']]);
    assert.equal(again.reason, 'tool_errors');
  });
});

describe('arguments a person put in place', () => {
  const schema = {
    type: 'object',
    properties: { path: { type: 'string' }, lines: { type: 'integer' } },
    required: ['path'],
  };

  it('run as they fit the tool, not as they were typed', async () => {
    const ran: unknown[] = [];
    const read = make('read', {
      input: schema,
      approval: true,
      run: (args: unknown) => void ran.push(args),
    });
    const model = new ScriptedModel([calls(['read', { path: 'a' }]), 'done']);
    await run(defineAgent({ name: 'a', tools: [read] }), 'Go', {
      model,
      approve: () => ({ approved: true, args: { path: 'b', lines: '3' } }),
    });
    assert.deepEqual(ran, [{ path: 'b', lines: 3 }]);
  });

  it('are what later prerequisites match on', async () => {
    const read = make('read', { input: schema, approval: true });
    const write = make('write', {
      input: schema,
      prerequisites: [{ tool: 'read', match: 'path' }],
    });
    const model = new ScriptedModel([
      calls(['read', { path: 'a' }]),
      calls(['write', { path: 'a' }]),
      calls(['write', { path: 'b' }]),
      'done',
    ]);
    const { events } = await run(defineAgent({ name: 'a', tools: [read, write] }), 'Go', {
      model,
      approve: () => ({ approved: true, args: { path: 'b' } }),
    });
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'reply.refused' ? [event.turn] : [])),
      [2],
    );
    assert.deepEqual(ended(events), ['read ok', 'write ok']);
  });
});

describe('a finished run', () => {
  it('stays as it ended when it is taken up with a signal that has aborted', async () => {
    const { events } = await go([], []);
    const again = await run(defineAgent({ name: 'a' }), undefined, {
      model: new ScriptedModel([]),
      events,
      signal: AbortSignal.abort(),
    });
    assert.equal(again.status, 'completed');
    assert.equal(again.events.length, events.length);
  });
});

describe('names that every object has', () => {
  it('are tool and argument names like any other', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const seen: string[] = [];
      const tool = make(name, { run: (args: object) => void seen.push(JSON.stringify(args)) });
      const args = JSON.parse(`{"${name}": {"polluted": true}}`);
      const model = new ScriptedModel([
        calls([name, args]),
        calls(['hasOwnProperty', {}]),
        `<tool_call>{"name": "${name}", "arguments": {"${name}": 1}}</tool_call>`,
        'done',
      ]);
      const result = await run(defineAgent({ name: 'a', tools: [tool] }), 'Go', { model });
      assert.equal(result.status, 'completed', result.explanation);
      assert.deepEqual(seen, [`{"${name}":{"polluted":true}}`, `{"${name}":1}`]);
      assert.ok(!('polluted' in {}));
    }
  });
});
