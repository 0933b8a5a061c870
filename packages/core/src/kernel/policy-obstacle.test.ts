import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '../agents/define-agent.ts';
import type { JsonObject } from '../json.ts';
import { textOf } from '../messages/message.ts';
import { run } from '../run/run.ts';
import { calls, ScriptedModel } from '../testing/scripted-model.ts';
import { defineTool, type ToolBudget } from '../tools/define-tool.ts';
import type { RunEvent } from './events.ts';
import { fold } from './evolve.ts';

const results = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool.finished' ? [`${event.outcome} ${textOf(event)}`] : [],
  );

function shell(options: {
  readonly denies?: (args: JsonObject) => string | undefined;
  readonly budget?: ToolBudget;
  readonly approval?: boolean;
}) {
  return defineTool({
    name: 'shell',
    description: 'Runs a command',
    input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    run: ({ command }) => `ran ${command}`,
    ...options,
  });
}

const noRemoval = ({ command }: JsonObject) =>
  command === 'rm -rf .' ? 'rm is not allowed here.' : undefined;

describe('what a policy refuses', () => {
  it('never runs, and the model is told why', async () => {
    const agent = defineAgent({ name: 'a', tools: [shell({ denies: noRemoval })] });
    const model = new ScriptedModel([
      calls(['shell', { command: 'rm -rf .' }], ['shell', { command: 'ls' }]),
      'done',
    ]);
    const { events } = await run(agent, 'Go', { model });
    assert.deepEqual(results(events), ['denied [Denied] rm is not allowed here.', 'ok ran ls']);
    assert.equal(events.filter(({ type }) => type === 'tool.started').length, 1);
  });

  it('is not put before a person', async () => {
    const agent = defineAgent({ name: 'a', tools: [shell({ denies: noRemoval, approval: true })] });
    const model = new ScriptedModel([calls(['shell', { command: 'rm -rf .' }]), 'done']);
    const { events } = await run(agent, 'Go', {
      model,
      approve: () => assert.fail('nobody is to be asked'),
    });
    assert.deepEqual(results(events), ['denied [Denied] rm is not allowed here.']);
  });

  it('is refused as well when a person put it in place', async () => {
    const agent = defineAgent({ name: 'a', tools: [shell({ denies: noRemoval, approval: true })] });
    const model = new ScriptedModel([calls(['shell', { command: 'ls' }]), 'done']);
    const { events } = await run(agent, 'Go', {
      model,
      approve: () => ({ approved: true, args: { command: 'rm -rf .' } }),
    });
    assert.deepEqual(results(events), ['denied [Denied] rm is not allowed here.']);
  });
});

describe('a budget of calls', () => {
  const budget = { calls: 2, tools: ['shell', 'run_shell'] };

  it('ends after so many calls, also within one batch; refused calls cost nothing', async () => {
    const agent = defineAgent({ name: 'a', tools: [shell({ denies: noRemoval, budget })] });
    const model = new ScriptedModel([
      calls(['shell', { command: 'rm -rf .' }], ['shell', { command: 'a' }]),
      calls(['shell', { command: 'b' }], ['shell', { command: 'c' }]),
      'done',
    ]);
    const { events } = await run(agent, 'Go', { model });
    assert.deepEqual(
      results(events).map((text) => text.slice(0, 25)),
      ['denied [Denied] rm is not', 'ok ran a', 'denied [Denied] Budget ex', 'ok ran b'],
    );
  });

  it('counts a call that is done again after a crash once', async () => {
    const agent = defineAgent({ name: 'a', tools: [shell({ budget })] });
    const model = new ScriptedModel([calls(['shell', { command: 'a' }, 'c1']), 'done']);
    const { events } = await run(agent, 'Go', { model });
    const begun = events.slice(0, events.findIndex(({ type }) => type === 'tool.started') + 1);
    const before = fold(begun);
    assert.deepEqual(before.toolRuns, { shell: 1 });
    const { runId, seq, lastAt: at } = before;
    const resumed = { v: 1 as const, runId, seq: seq + 1, at, type: 'run.resumed' as const };
    assert.deepEqual(fold([{ ...resumed, again: ['c1'] }], before).toolRuns, { shell: 0 });
  });
});
