import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemsOf } from '../append-list.ts';
import { ForgeError } from '../errors.ts';
import { textOf, userMessage } from '../messages/message.ts';
import type { Happening, RunEvent } from './events.ts';
import { parseEvent } from './events.ts';
import { evolve, fold } from './evolve.ts';
import { initialState } from './state.ts';

function log(...happenings: Happening[]): RunEvent[] {
  return happenings.map((happening, index) => ({
    v: 1,
    runId: 'r',
    seq: index + 1,
    at: index,
    ...happening,
  }));
}

const started: Happening = {
  type: 'run.started',
  agent: 'a',
  history: [],
  input: [userMessage('hello')],
  budget: 8_192,
  budgetSource: 'manual',
  reasoningReplay: 'last',
};

describe('evolve', () => {
  it('leaves the state before the event as it was', () => {
    const [first, second] = log(started, {
      type: 'input.received',
      messages: [userMessage('more')],
    });
    assert.ok(first && second);
    const before = evolve(initialState, first);
    const after = evolve(before, second);
    assert.equal(itemsOf(before.window).length, 1);
    assert.equal(itemsOf(after.window).length, 2);
    assert.deepEqual(initialState.window.length, 0);
  });

  it('can go two ways from one state', () => {
    const [first] = log(started);
    assert.ok(first);
    const fork = evolve(initialState, first);
    const say = (text: string) =>
      evolve(fork, {
        v: 1,
        runId: 'r',
        seq: 2,
        at: 2,
        type: 'input.received',
        messages: [userMessage(text)],
      });
    const [left, right] = [say('left'), say('right')];
    assert.deepEqual(itemsOf(left.window)[1]?.message, userMessage('left'));
    assert.deepEqual(itemsOf(right.window)[1]?.message, userMessage('right'));
  });

  it('keeps input that comes while the model is busy for the next turn', () => {
    const state = fold(
      log(
        started,
        { type: 'model.requested', turn: 1, messages: 1, estimatedTokens: 10 },
        { type: 'input.received', messages: [userMessage('wait')] },
        {
          type: 'model.replied',
          turn: 1,
          reply: { content: [{ type: 'text', text: 'hi' }], finish: 'stop' },
        },
        {
          type: 'reply.answered',
          turn: 1,
          text: 'hi',
          message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
        },
      ),
    );
    assert.equal(state.phase.name, 'ready');
    assert.deepEqual(
      itemsOf(state.window).map((entry) => entry.kind),
      ['input', 'reply', 'input'],
    );
  });

  it('gives the model what was said while a summary was being written, in its next request', () => {
    const words: Happening = { type: 'input.received', messages: [userMessage('more')] };
    const asked: Happening = { type: 'context.summary_requested', replaces: [] };
    for (const end of [
      { type: 'context.summary_failed', error: 'down' },
      { type: 'context.summarized', replaces: [], text: 'short' },
    ] satisfies Happening[]) {
      const state = fold(log(started, asked, words, end));
      assert.equal(state.phase.name, 'ready');
      assert.equal(itemsOf(state.window).length, 2);
    }
  });

  it('keeps the order of what was said before and after a run ended', () => {
    const said = (text: string): Happening => ({
      type: 'input.received',
      messages: [userMessage(text)],
    });
    const state = fold(
      log(
        started,
        { type: 'model.requested', turn: 1, messages: 1, estimatedTokens: 1 },
        said('first'),
        { type: 'run.finished', status: 'cancelled', reason: 'cancelled', explanation: '' },
        said('second'),
      ),
    );
    const texts = itemsOf(state.window).map(({ message }) => textOf(message));
    assert.deepEqual(texts, ['hello', 'first', 'second']);
  });

  it('does not count the time between the end of a run and what is said to it next', () => {
    const [first, end, said] = log(
      started,
      { type: 'run.finished', status: 'completed', reason: 'answered', explanation: '' },
      { type: 'input.received', messages: [userMessage('again')] },
    );
    assert.ok(first && end && said);
    const state = fold([first, { ...end, at: 30 }, { ...said, at: 1_000 }]);
    assert.equal(state.lastAt - state.startedAt, 30);
  });

  it('takes one decision and one result per call, whatever comes after', () => {
    const call = {
      id: 'c',
      name: 'pay',
      args: {},
      after: [],
      facts: [],
      terminal: false,
      needsApproval: true,
      triggers: true,
      external: false,
    };
    const begun: Happening[] = [
      started,
      {
        type: 'reply.accepted',
        turn: 1,
        message: { role: 'assistant', content: [] },
        calls: [call, { ...call, id: 'other' }],
        source: 'native',
        mended: [],
      },
      { type: 'approval.requested', callId: 'c', name: 'pay', args: {} },
      { type: 'approval.decided', callId: 'c', approved: true },
      { type: 'tool.started', callId: 'c', name: 'pay', args: {}, idempotencyKey: 'k' },
    ];
    const yes: Happening = { type: 'approval.decided', callId: 'c', approved: true };
    const done: Happening = {
      type: 'tool.finished',
      callId: 'c',
      name: 'pay',
      outcome: 'ok',
      content: [],
    };
    const statusAfter = (...happenings: Happening[]) => {
      const { phase, window } = fold(log(...begun, ...happenings));
      const results = itemsOf(window).filter((entry) => entry.kind === 'result').length;
      return [phase.name === 'acting' && phase.calls[0]?.status, results];
    };
    assert.deepEqual(statusAfter(yes), ['running', 0]);
    assert.deepEqual(statusAfter(done, yes), ['done', 1]);
    assert.deepEqual(statusAfter(done, done), ['done', 1]);
  });

  it('learns from the usage the backend reports', () => {
    const usage = { inputTokens: 200, outputTokens: 5 };
    const state = fold(
      log(
        started,
        { type: 'model.requested', turn: 1, messages: 1, estimatedTokens: 100 },
        {
          type: 'model.replied',
          turn: 1,
          reply: { content: [], finish: 'stop', usage, cost: 0.25 },
        },
      ),
    );
    assert.ok(state.calibration.ratio > 1);
    assert.equal(state.usage.inputTokens, 200);
    assert.equal(state.usage.cost, 0.25);
  });

  it('refuses a log that does not begin with its start, or starts twice', () => {
    const words: Happening = { type: 'input.received', messages: [userMessage('more')] };
    assert.throws(() => fold(log(words)), /begins with run.started/);
    assert.throws(() => fold(log(started, started)), /begins with run.started/);
  });

  it('refuses a log with a gap, a repeat, or events of another run', () => {
    const [first] = log(started);
    assert.ok(first);
    const isInvalid = (error: unknown) => ForgeError.is(error, 'invalid_event');
    assert.throws(() => evolve(initialState, { ...first, seq: 2 }), isInvalid);
    const state = evolve(initialState, first);
    assert.throws(() => evolve(state, first), isInvalid);
    assert.throws(() => evolve(state, { ...first, seq: 2, runId: 'other' }), isInvalid);
  });
});

describe('parseEvent', () => {
  it('takes back what was stored', () => {
    const [event] = log(started);
    assert.deepEqual(parseEvent(JSON.parse(JSON.stringify(event))), event);
  });

  it('refuses what is no event, and says where', () => {
    for (const value of [
      null,
      1,
      'x',
      {},
      { ...log(started)[0], v: 2 },
      { ...log(started)[0], budget: '8k' },
    ]) {
      assert.throws(
        () => parseEvent(value),
        (error) => ForgeError.is(error, 'invalid_event'),
      );
    }
    assert.throws(() => parseEvent({ ...log(started)[0], budget: '8k' }), /budget/);
  });
});
