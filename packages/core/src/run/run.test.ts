import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agents/define-agent.ts';
import { ForgeError } from '../errors.ts';
import { decide } from '../kernel/decide.ts';
import { parseEvent, type RunEvent } from '../kernel/events.ts';
import { fold } from '../kernel/evolve.ts';
import { textOf } from '../messages/message.ts';
import type { Model } from '../models.ts';
import { calls, ScriptedModel, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { ToolResolutionError } from '../tools/tool-resolution-error.ts';
import { run } from './run.ts';

const add = defineTool({
  name: 'add',
  description: 'Add two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const submit = defineTool({
  name: 'submit',
  description: 'Hand in the result',
  input: z.object({ result: z.number() }),
  run: () => undefined,
});

function agentWith(options: Partial<AgentOptions> = {}) {
  return defineAgent({ name: 'adder', instructions: 'Add.', tools: [add, submit], ...options });
}

const types = (events: readonly RunEvent[]) => events.map((event) => event.type);
const toolTexts = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [textOf(event)] : []));

describe('run', () => {
  it('calls tools until the model answers', async () => {
    const model = new ScriptedModel([calls(['add', { a: 1, b: 2 }]), 'The sum is 3.']);
    const result = await run(agentWith(), 'What is 1 + 2?', { model });
    assert.equal(result.status, 'completed');
    assert.equal(result.reason, 'answered');
    assert.equal(result.output?.text, 'The sum is 3.');
    assert.equal(result.turns, 2);
    assert.deepEqual(types(result.events), [
      'run.started',
      'model.requested',
      'model.replied',
      'reply.accepted',
      'tool.started',
      'tool.finished',
      'model.requested',
      'model.replied',
      'reply.answered',
      'run.finished',
    ]);
  });

  it('sends the system prompt, the input, the call and its result, and the tools', async () => {
    const model = new ScriptedModel([calls(['add', { a: 1, b: 2 }, 'id-1']), 'Done.']);
    await run(agentWith(), 'What is 1 + 2?', { model });
    const [, second] = model.requests;
    assert.deepEqual(second?.messages, [
      { role: 'system', content: [{ type: 'text', text: 'Add.' }] },
      { role: 'user', content: [{ type: 'text', text: 'What is 1 + 2?' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'id-1', name: 'add', args: { a: 1, b: 2 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            callId: 'id-1',
            name: 'add',
            content: [{ type: 'text', text: '3' }],
          },
        ],
      },
    ]);
    assert.deepEqual(
      second?.tools.map((tool) => tool.name),
      ['add', 'submit'],
    );
  });

  it('ends when a terminal tool succeeds, even if it returns nothing', async () => {
    const model = new ScriptedModel([calls(['submit', { result: 3 }])]);
    const result = await run(agentWith({ terminalTools: ['submit'] }), 'Go', { model });
    assert.equal(result.reason, 'terminal_tool');
    assert.deepEqual(result.output, { text: '', call: { name: 'submit', args: { result: 3 } } });
  });

  it('brings a model that makes the classic mistakes to the end', async () => {
    const model = new ScriptedModel([
      'Sure! I will add the numbers.',
      '',
      calls(['plus', { a: 1, b: 2 }]),
      '```json\n{"name": "add", "arguments": {"a": "1", "b": 2,}}\n```',
      calls(['submit', { result: 'three' }]),
      calls(['submit', { result: 3 }]),
    ]);
    const agent = agentWith({ requiredSteps: ['add'], terminalTools: ['submit'] });
    const result = await run(agent, 'Add 1 and 2.', { model });
    assert.equal(result.status, 'completed', result.explanation);
    const refusals = result.events.flatMap((event) =>
      event.type === 'reply.refused' ? event.problems.map((problem) => problem.kind) : [],
    );
    assert.deepEqual(refusals, ['steps_missing', 'empty_reply', 'unknown_tool', 'bad_arguments']);
  });

  it('gives run() the output of its schema: defaults and transforms', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'when',
      description: '',
      input: z.object({
        day: z.string().transform((day) => new Date(day)),
        zone: z.string().default('UTC'),
      }),
      run: ({ day, zone }) => {
        seen.push(day.getUTCFullYear(), zone);
      },
    });
    const model = new ScriptedModel([calls(['when', { day: '2026-01-01' }]), 'ok']);
    await run(agentWith({ tools: [tool] }), 'Go', { model });
    assert.deepEqual(seen, [2026, 'UTC']);
  });

  it('shows a failing tool to the model and lets it try again', async () => {
    let tries = 0;
    const flaky = defineTool({
      name: 'flaky',
      description: '',
      input: { type: 'object' },
      run: () => {
        tries += 1;
        if (tries === 1) throw new TypeError('disk on fire');
        return 'fine';
      },
    });
    const model = new ScriptedModel([calls(['flaky', { n: 1 }]), calls(['flaky', { n: 2 }]), 'ok']);
    const result = await run(agentWith({ tools: [flaky] }), 'Go', { model });
    assert.equal(result.status, 'completed');
    assert.deepEqual(toolTexts(result.events), ['[ToolError] TypeError: disk on fire', 'fine']);
  });

  it('stops after more tool errors in a row than the limit', async () => {
    const broken = defineTool({
      name: 'broken',
      description: '',
      input: { type: 'object' },
      run: () => {
        throw new Error('no');
      },
    });
    const model = new ScriptedModel([1, 2, 3, 4].map((n) => calls(['broken', { n }])));
    const result = await run(agentWith({ tools: [broken] }), 'Go', { model });
    assert.equal(result.reason, 'tool_errors');
    assert.equal(result.turns, 3);
    const off = new ScriptedModel([calls(['broken', {}])]);
    const bare = await run(agentWith({ tools: [broken], guardrails: { recovery: false } }), 'Go', {
      model: off,
    });
    assert.equal(bare.reason, 'tool_errors');
    assert.equal(bare.turns, 1);
  });

  it('counts "found nothing" as neither an error nor a step', async () => {
    const find = defineTool({
      name: 'find',
      description: '',
      input: { type: 'object' },
      run: () => {
        throw new ToolResolutionError('no such user');
      },
    });
    const model = new ScriptedModel([
      ...[1, 2, 3, 4].map((n) => calls(['find', { n }])),
      calls(['submit', { result: 1 }]),
      ...[1, 2, 3].map(() => calls(['submit', { result: 1 }])),
    ]);
    const agent = agentWith({
      tools: [find, submit],
      requiredSteps: ['find'],
      terminalTools: ['submit'],
    });
    const result = await run(agent, 'Go', { model });
    assert.equal(result.reason, 'steps_not_done');
    assert.deepEqual(toolTexts(result.events)[0], '[ToolResolutionError] no such user');
  });

  it('does not run the terminal call of a batch whose step failed', async () => {
    const step = defineTool({
      name: 'step',
      description: '',
      input: { type: 'object' },
      run: () => {
        throw new Error('broke');
      },
    });
    const model = new ScriptedModel([
      calls(['step', {}], ['submit', { result: 1 }]),
      new Error('stop here'),
    ]);
    const agent = agentWith({
      tools: [step, submit],
      requiredSteps: ['step'],
      terminalTools: ['submit'],
    });
    const result = await run(agent, 'Go', { model });
    assert.deepEqual(toolTexts(result.events), [
      '[ToolError] Error: broke',
      '[NotRun] submit was not run, because step did not succeed. Call step again first.',
    ]);
    assert.equal(result.reason, 'model_failed');
    assert.equal(ForgeError.is(result.error), false);
    assert.match(result.explanation, /stop here/);
  });

  it('runs calls of one reply at the same time, but no more than the limit', async () => {
    let now = 0;
    let most = 0;
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: { type: 'object' },
      run: async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
      },
    });
    const batch = calls(...Array.from({ length: 10 }, (_, n) => ['slow', { n }] as const));
    const model = new ScriptedModel([batch, 'ok']);
    await run(agentWith({ tools: [slow], limits: { parallelTools: 3 } }), 'Go', { model });
    assert.equal(most, 3);
  });

  it('gives a tool up when its time is over, even if it does not listen', async () => {
    const stuck = defineTool({
      name: 'stuck',
      description: '',
      input: { type: 'object' },
      timeout: 5,
      run: () => new Promise(() => {}),
    });
    const model = new ScriptedModel([calls(['stuck', {}]), 'ok']);
    const result = await run(agentWith({ tools: [stuck] }), 'Go', { model });
    assert.equal(result.status, 'completed');
    assert.match(toolTexts(result.events)[0] ?? '', /took longer than 5 ms/);
  });

  it('stops at the turn, token, cost and time limits and says which', async () => {
    const usage = { inputTokens: 60, outputTokens: 40 };
    const endless = () =>
      new ScriptedModel(
        Array.from({ length: 30 }, (_, n) => ({
          ...calls(['add', { a: n, b: 0 }]),
          usage,
          cost: 0.5,
        })),
      );
    const end = async (limits: AgentOptions['limits']) => {
      let now = 0;
      const clock = () => {
        now += 1;
        return now;
      };
      const result = await run(agentWith({ limits }), 'Go', { model: endless(), clock });
      return `${result.reason} ${result.turns}`;
    };
    assert.equal(await end({ turns: 4 }), 'turn_limit 4');
    assert.equal(await end({ tokens: 250 }), 'token_limit 3');
    assert.equal(await end({ cost: 1 }), 'cost_limit 2');
    assert.equal(await end({ duration: 20 }), 'time_limit 4');
  });

  it('ends with model_failed when the model cannot be asked, and passes the error on', async () => {
    const error = new Error('connection refused');
    const result = await run(agentWith(), 'Go', { model: new ScriptedModel([error]) });
    assert.equal(result.status, 'failed');
    assert.equal(result.reason, 'model_failed');
    assert.equal(result.error, error);
  });

  it('streams events and text as they come', async () => {
    const seen: string[] = [];
    const model = new ScriptedModel(['It will rain.']);
    const result = await run(agentWith(), 'Go', {
      model,
      onEvent: (event) => seen.push(event.type),
      onDelta: (delta) => seen.push(delta.text),
    });
    assert.deepEqual(seen, [
      'run.started',
      'model.requested',
      'It ',
      'will ',
      'rain.',
      'model.replied',
      'reply.answered',
      'run.finished',
    ]);
    assert.equal(result.events.length, 5);
  });

  it('rejects when onEvent throws: that is the caller’s bug', async () => {
    const onEvent = (event: RunEvent) => {
      if (event.type === 'model.replied') throw new Error('bug');
    };
    await assert.rejects(
      run(agentWith(), 'Go', { model: new ScriptedModel(['x']), onEvent }),
      /bug/,
    );
  });

  it('rejects a run without input', async () => {
    await assert.rejects(
      run(agentWith(), undefined, { model: new ScriptedModel([]) }),
      /needs input/,
    );
  });

  it('goes on from the messages of an earlier run', async () => {
    const first = await run(agentWith(), 'My name is Kim.', {
      model: new ScriptedModel(['Hello Kim.']),
    });
    const model = new ScriptedModel(['Kim.']);
    await run(agentWith(), 'What is my name?', { model, history: first.messages });
    assert.deepEqual(
      model.requests[0]?.messages.map((message) => textOf(message)),
      ['Add.', 'My name is Kim.', 'Hello Kim.', 'What is my name?'],
    );
  });
});

describe('cancelling', () => {
  it('stops a model that is still writing and a tool that does not listen', async () => {
    const controller = new AbortController();
    let modelSignal: AbortSignal | undefined;
    const silent: Model = {
      id: 'silent',
      complete: (_request, { signal }) => {
        modelSignal = signal;
        queueMicrotask(() => controller.abort());
        return new Promise(() => {});
      },
    };
    const result = await run(agentWith(), 'Go', { model: silent, signal: controller.signal });
    assert.equal(result.status, 'cancelled');
    assert.equal(modelSignal?.aborted, true);
    assert.equal(result.events.at(-1)?.type, 'run.finished');
  });

  it('ends every running call in the log before the run', async () => {
    const controller = new AbortController();
    const stuck = defineTool({
      name: 'stuck',
      description: '',
      input: { type: 'object' },
      run: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    const model = new ScriptedModel([calls(['stuck', {}])]);
    const result = await run(agentWith({ tools: [stuck] }), 'Go', {
      model,
      signal: controller.signal,
    });
    assert.deepEqual(types(result.events).slice(-3), [
      'tool.started',
      'tool.finished',
      'run.finished',
    ]);
    assert.deepEqual(toolTexts(result.events), ['[Cancelled]']);
  });

  it('does not start at all with a signal that has aborted', async () => {
    const model = new ScriptedModel([]);
    const result = await run(agentWith(), 'Go', { model, signal: AbortSignal.abort() });
    assert.equal(result.status, 'cancelled');
    assert.equal(model.requests.length, 0);
  });
});

describe('approvals and answers from outside', () => {
  const wipe = defineTool({
    name: 'wipe',
    description: 'Delete',
    input: z.object({ path: z.string() }),
    approval: ({ path }) => path !== 'tmp',
    run: ({ path }) => `wiped ${path}`,
  });

  it('asks for the calls that need it and runs the others', async () => {
    const asked: string[] = [];
    const model = new ScriptedModel([
      calls(['wipe', { path: 'tmp' }], ['wipe', { path: 'home' }]),
      'ok',
    ]);
    const result = await run(agentWith({ tools: [wipe] }), 'Go', {
      model,
      approve: ({ args }) => {
        asked.push(String(args.path));
        return { approved: true, by: 'kim' };
      },
    });
    assert.deepEqual(asked, ['home']);
    assert.deepEqual(toolTexts(result.events).sort(), ['wiped home', 'wiped tmp']);
  });

  it('denies when nobody is there, and tells the model', async () => {
    const model = new ScriptedModel([calls(['wipe', { path: 'home' }]), 'ok']);
    const result = await run(agentWith({ tools: [wipe] }), 'Go', { model });
    assert.match(toolTexts(result.events)[0] ?? '', /\[Denied\].*nobody is there.*Do not send/);
  });

  it('runs the arguments a person put in place, after checking them', async () => {
    const edited = async (args: Record<string, string | number>) => {
      const model = new ScriptedModel([calls(['wipe', { path: 'home' }]), 'ok']);
      const approve = () => ({ approved: true, args });
      const result = await run(agentWith({ tools: [wipe] }), 'Go', { model, approve });
      return toolTexts(result.events)[0];
    };
    assert.equal(await edited({ path: 'old' }), 'wiped old');
    assert.match(
      (await edited({ file: 'old' })) ?? '',
      /arguments a person put in place do not fit/,
    );
  });

  it('pauses on a tool without run and goes on with its result', async () => {
    const ask = defineTool({
      name: 'ask_human',
      description: '',
      input: z.object({ question: z.string() }),
    });
    const agent = agentWith({ tools: [ask] });
    const model = new ScriptedModel([
      calls(['ask_human', { question: 'Red or blue?' }, 'q1']),
      'Blue it is.',
    ]);
    const paused = await run(agent, 'Paint it.', { model });
    assert.equal(paused.status, 'paused');
    assert.deepEqual(paused.pending, [
      { callId: 'q1', name: 'ask_human', args: { question: 'Red or blue?' } },
    ]);
    const stored: RunEvent[] = JSON.parse(JSON.stringify(paused.events)).map(parseEvent);
    const result = await run(agent, undefined, { model, events: stored, results: { q1: 'blue' } });
    assert.equal(result.output?.text, 'Blue it is.');
    await assert.rejects(
      run(agent, undefined, { model, events: paused.events, results: { q2: 'x' } }),
      /"q2", which is not waiting. Waiting: q1/,
    );
  });

  it('waits for input after a tool whose result does not wake the model', async () => {
    const notify = defineTool({
      name: 'notify',
      description: '',
      input: { type: 'object' },
      triggers: false,
      run: () => 'sent',
    });
    const agent = agentWith({ tools: [notify] });
    const model = new ScriptedModel([calls(['notify', {}]), 'Hello again.']);
    const paused = await run(agent, 'Tell them.', { model });
    assert.equal(paused.status, 'paused');
    const result = await run(agent, 'And now?', { model, events: paused.events });
    assert.equal(result.output?.text, 'Hello again.');
  });
});

describe('the log', () => {
  it('folds to the same state and the same next decision after any event, stored or not', async () => {
    const agent = agentWith({ requiredSteps: ['add'], terminalTools: ['submit'] });
    const model = new ScriptedModel([
      'hm',
      calls(['add', { a: 1, b: 1 }], ['add', { a: 2, b: 2 }]),
      says('<tool_call>{"name": "submit", "arguments": {"result": 3}}</tool_call>'),
    ]);
    const { events } = await run(agent, 'Go', { model });
    for (let end = 1; end <= events.length; end++) {
      const live = fold(events.slice(0, end));
      const stored = fold(
        events.slice(0, end).map((event) => parseEvent(JSON.parse(JSON.stringify(event)))),
      );
      assert.deepEqual(
        JSON.parse(JSON.stringify(decide(agent, stored))),
        JSON.parse(JSON.stringify(decide(agent, live))),
      );
    }
  });
});
