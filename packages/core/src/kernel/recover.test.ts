import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '../agents/define-agent.ts';
import { userMessage } from '../messages/message.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { Happening } from './events.ts';
import { fold } from './evolve.ts';
import { recover } from './recover.ts';

const input = { type: 'object' };
const run = () => '';
const agent = defineAgent({
  name: 'a',
  tools: [
    defineTool({ name: 'look', description: '', input, run, idempotent: true }),
    defineTool({ name: 'pay', description: '', input, run }),
    defineTool({ name: 'ask', description: '', input }),
  ],
});

const started: Happening = {
  type: 'run.started',
  agent: 'a',
  history: [],
  input: [userMessage('hello')],
  budget: 8_192,
  budgetSource: 'manual',
  reasoningReplay: 'last',
};
const requested: Happening = {
  type: 'model.requested',
  turn: 1,
  messages: 1,
  estimatedTokens: 1,
};

function accepted(...names: string[]): Happening {
  const calls = names.map((name) => ({
    id: name,
    name,
    args: {},
    after: [],
    facts: [],
    terminal: false,
    needsApproval: false,
    triggers: true,
    external: name === 'ask',
  }));
  return {
    type: 'reply.accepted',
    turn: 1,
    message: { role: 'assistant', content: [] },
    calls,
    source: 'native',
    mended: [],
  };
}
const begun = (name: string): Happening => ({
  type: 'tool.started',
  callId: name,
  name,
  args: {},
  idempotencyKey: name,
});

function after(...happenings: Happening[]) {
  return fold(
    [started, ...happenings].map((happening, index) => ({
      v: 1 as const,
      runId: 'r',
      seq: index + 1,
      at: 0,
      ...happening,
    })),
  );
}

describe('recover', () => {
  it('has nothing to do where nothing was under way', () => {
    assert.deepEqual(recover(agent, after()), []);
    assert.deepEqual(recover(agent, after(requested, accepted('look'))), []);
    assert.deepEqual(recover(agent, after(requested, accepted('ask'), begun('ask'))), []);
  });

  it('has the model asked again', () => {
    const state = after(requested, { type: 'run.resumed', again: [] });
    assert.equal(state.phase.name, 'ready');
    assert.deepEqual(recover(agent, after(requested)), [{ type: 'run.resumed', again: [] }]);
  });

  it('repeats what is safe to repeat, and tells the model of the rest', () => {
    const names = ['look', 'pay', 'ask'];
    const found = recover(agent, after(requested, accepted(...names), ...names.map(begun)));
    assert.deepEqual(found[0], { type: 'run.resumed', again: ['look'] });
    assert.equal(found.length, 2);
    assert.match(JSON.stringify(found[1]), /pay.*Interrupted.*not known/);
  });

  it('has a person asked again who was asked and did not answer', () => {
    const asked: Happening = { type: 'approval.requested', callId: 'pay', name: 'pay', args: {} };
    const resumed: Happening = { type: 'run.resumed', again: [] };
    assert.deepEqual(recover(agent, after(requested, accepted('pay'), asked)), [resumed]);
    const { phase } = after(requested, accepted('pay'), asked, resumed);
    assert.equal(phase.name === 'acting' && phase.calls[0]?.status, 'waiting');
  });
});
