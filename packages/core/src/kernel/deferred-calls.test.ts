import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '../agents/define-agent.ts';
import { itemsOf } from '../append-list.ts';
import { pairingViolations } from '../context/pairing-rules.ts';
import { userMessage } from '../messages/message.ts';
import { calls, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { decide } from './decide.ts';
import type { Effect } from './effects.ts';
import type { Happening, RunEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { recover } from './recover.ts';
import { initialState, type RunState } from './state.ts';

const slow = defineTool({
  name: 'slow',
  description: '',
  input: { type: 'object' },
  run: () => '',
});
const quick = defineTool({
  name: 'quick',
  description: '',
  input: { type: 'object' },
  run: () => '',
});
const risky = defineTool({
  name: 'risky',
  description: '',
  input: { type: 'object' },
  approval: true,
  run: () => '',
});
const tools = [slow, quick, risky];
const chat = defineAgent({ name: 'chat', tools, standing: true, limits: { turns: 3 } });
const task = defineAgent({ name: 'task', tools });

/** A log that grows, with the decision after each event. */
class Log {
  state: RunState = initialState;
  readonly agent: typeof chat;

  constructor(agent: typeof chat) {
    this.agent = agent;
    this.add({
      type: 'run.started',
      agent: agent.name,
      history: [],
      input: [userMessage('Go.')],
      budget: 100_000,
      budgetSource: 'manual',
      reasoningReplay: 'none',
    });
  }

  add(...happenings: readonly Happening[]): this {
    for (const happening of happenings) {
      const { seq } = this.state;
      const event: RunEvent = { v: 1, runId: 'r', seq: seq + 1, at: seq, ...happening };
      this.state = evolve(this.state, event);
    }
    return this;
  }

  next(): readonly Effect[] {
    return decide(this.agent, this.state);
  }

  /** Asks the model, which replies like this, and takes what the guardrails make of it. */
  reply(reply: ReturnType<typeof says>): this {
    const turn = this.state.turn + 1;
    this.add({ type: 'model.requested', turn, messages: 1, estimatedTokens: 1 });
    this.add({ type: 'model.replied', turn, reply });
    return this.record();
  }

  record(): this {
    for (const effect of this.next()) if (effect.type === 'record') this.add(...effect.happenings);
    return this;
  }

  started(callId: string, name: string): this {
    return this.add({ type: 'tool.started', callId, name, args: {}, idempotencyKey: 'k' });
  }

  finished(callId: string, name: string, said = 'done'): this {
    const content = [{ type: 'text' as const, text: said }];
    return this.add({ type: 'tool.finished', callId, name, outcome: 'ok', content });
  }

  request() {
    const effect = this.next().find(({ type }) => type === 'call_model');
    assert.ok(effect?.type === 'call_model', JSON.stringify(this.next()));
    for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
      assert.deepEqual(pairingViolations(provider, effect.request.messages), []);
    }
    return JSON.stringify(effect.request.messages);
  }
}

describe('a call the run goes on without', () => {
  it('if it is slow, leaves the turn to the others and a placeholder in its place', () => {
    const log = new Log(task).reply(calls(['slow', {}, 's'], ['quick', {}, 'q']));
    log.started('s', 'slow').started('q', 'quick').finished('q', 'quick');
    assert.deepEqual(log.next(), []);
    log.add({ type: 'calls.deferred', callIds: ['s'], reason: 'slow' });
    assert.match(log.request(), /still running/);
  });

  it('puts its late result in its place, tells the model, and starts a turn', () => {
    const log = new Log(task).reply(calls(['slow', {}, 's'])).started('s', 'slow');
    log.add({ type: 'calls.deferred', callIds: ['s'], reason: 'slow' });
    log.reply(says('It runs.'));
    assert.deepEqual(log.next(), [{ type: 'await_input' }]);
    log.finished('s', 'slow', 'the answer is 42');
    const asked = log.request();
    assert.match(asked, /the answer is 42.*It runs\..*\[LateResult\]/s);
    assert.doesNotMatch(asked, /still running/);
    log.reply(says('42.'));
    assert.match(JSON.stringify(log.next()), /run\.finished/);
  });

  it('does not disturb a model that is busy: the next turn sees it', () => {
    const log = new Log(task).reply(calls(['slow', {}, 's'])).started('s', 'slow');
    log.add({ type: 'calls.deferred', callIds: ['s'], reason: 'slow' });
    log.add({ type: 'model.requested', turn: 2, messages: 1, estimatedTokens: 1 });
    log.finished('s', 'slow', 'late');
    assert.deepEqual(log.next(), []);
    log.add({ type: 'model.replied', turn: 2, reply: says('Waiting.') }).record();
    assert.match(log.request(), /late/);
  });

  it('keeps its idempotency key, whatever turn it runs in', () => {
    const log = new Log(chat).reply(calls(['risky', {}, 'r']));
    log.add({ type: 'approval.requested', callId: 'r', name: 'risky', args: {} });
    log.add({ type: 'input.received', messages: [userMessage('And?')] }).record();
    log.reply(says('I wait for a yes.'));
    log.add({ type: 'approval.decided', callId: 'r', approved: true, by: 'me' });
    const effect = log.next().find(({ type }) => type === 'run_tool');
    assert.equal(effect?.type === 'run_tool' && effect.idempotencyKey, 'r:1:r');
  });

  it('keeps its id to itself while it is open', () => {
    const log = new Log(task).reply(calls(['slow', {}, 'same'])).started('same', 'slow');
    log.add({ type: 'calls.deferred', callIds: ['same'], reason: 'slow' });
    log.reply(calls(['quick', {}, 'same']));
    const [effect] = log.next();
    assert.ok(effect?.type === 'run_tool');
    assert.notEqual(effect.callId, 'same');
    log.started(effect.callId, 'quick').finished(effect.callId, 'quick', 'now');
    log.finished('same', 'slow', 'late');
    assert.match(log.request(), /late.*now/s);
  });

  it('twice finished counts once', () => {
    const log = new Log(task).reply(calls(['slow', {}, 's'])).started('s', 'slow');
    log.add({ type: 'calls.deferred', callIds: ['s'], reason: 'slow' });
    log.finished('s', 'slow', 'one').finished('s', 'slow', 'two');
    const results = itemsOf(log.state.window).filter(({ kind }) => kind === 'result');
    assert.equal(results.length, 1);
  });
});

describe('a conversation', () => {
  it('is not over with an answer', () => {
    const log = new Log(chat).reply(says('Hello.'));
    assert.deepEqual(log.next(), [{ type: 'await_input' }]);
    log.add({ type: 'input.received', messages: [userMessage('More.')] });
    assert.match(log.request(), /Hello\..*More\./s);
  });

  it('goes on while a call waits for a yes', () => {
    const log = new Log(chat).reply(calls(['risky', {}, 'r']));
    log.add({ type: 'approval.requested', callId: 'r', name: 'risky', args: {} });
    assert.deepEqual(log.next(), []);
    log.add({ type: 'input.received', messages: [userMessage('What now?')] }).record();
    assert.match(log.request(), /waiting for a person to approve.*What now\?/s);
    log.reply(says('I wait.'));
    log.add({ type: 'approval.decided', callId: 'r', approved: false, reason: 'no' }).record();
    assert.match(log.request(), /\[Denied\].*\[LateResult\]/s);
  });

  it('pauses where it turns round by itself too often, and counts anew when somebody speaks', () => {
    const log = new Log(chat);
    for (const n of [1, 2, 3]) {
      log.reply(calls(['quick', { n }, `q${n}`]));
      log.started(`q${n}`, 'quick').finished(`q${n}`, 'quick', String(n));
    }
    log.record();
    assert.equal(log.state.paused, true);
    assert.deepEqual(log.next(), []);
    log.add({ type: 'run.continued', by: 'me' });
    log.request();
  });
});

describe('an approval', () => {
  it('that expires is no denial', () => {
    const log = new Log(task).reply(calls(['risky', {}, 'r']));
    log.add({ type: 'approval.requested', callId: 'r', name: 'risky', args: {} });
    log.add({ type: 'approval.expired', callId: 'r' }).record();
    assert.match(log.request(), /\[Expired\]/);
    log.add({ type: 'approval.decided', callId: 'r', approved: true });
    assert.doesNotMatch(JSON.stringify(log.next()), /run_tool/);
  });

  it('that outlived the process is not asked for again', () => {
    const log = new Log(task).reply(calls(['risky', {}, 'r']));
    log.add({ type: 'approval.requested', callId: 'r', name: 'risky', args: {} });
    assert.deepEqual(recover(task, log.state, { keepsApprovals: true }), []);
    assert.equal(recover(task, log.state)[0]?.type, 'run.resumed');
  });

  it('of a call the run went on without is recovered like any other', () => {
    const log = new Log(task).reply(calls(['slow', {}, 's'])).started('s', 'slow');
    log.add({ type: 'calls.deferred', callIds: ['s'], reason: 'slow' });
    const happenings = recover(task, log.state, { keepsApprovals: true });
    log.add(...happenings);
    assert.match(log.request(), /\[Interrupted\]/);
  });
});
