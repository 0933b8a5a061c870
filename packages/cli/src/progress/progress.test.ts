import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '@forge/core';
import { says } from '@forge/core/testing';
import {
  child,
  finished,
  progressOf,
  root,
  started,
  toolStarted,
} from './progress-fixtures.test.ts';
import { ownCalls, stepTree } from './step-tree.ts';

const replied = (inputTokens: number, outputTokens: number, cost: number): Happening => ({
  type: 'model.replied',
  turn: 1,
  reply: { ...says('x'), usage: { inputTokens, outputTokens }, cost },
});

describe('the progress of a family', () => {
  it('counts tokens, cost, turns, nudges and failures of each run', () => {
    const progress = progressOf(
      [root, started('pipeline')],
      [root, { type: 'model.requested', turn: 1, messages: 1, estimatedTokens: 5, model: 'm' }],
      [root, replied(100, 20, 0.5)],
      [root, { type: 'model.requested', turn: 2, messages: 1, estimatedTokens: 5 }],
      [root, replied(200, 30, 0.25)],
      [root, { type: 'model.failed', turn: 3, error: 'x' }],
    );
    const step = progress.get('r');
    assert.deepEqual(
      [step?.tokens, step?.cost, step?.turns, step?.failures, step?.model, step?.thinking],
      [350, 0.75, 2, 1, 'm', false],
    );
  });

  it('names a run by the call that started it, and counts the rounds of a name', () => {
    const progress = progressOf(
      [root, started('pipeline')],
      [root, toolStarted('review#1.1', 'review')],
      [child('a', 'reviewer', 'review#1.1'), started('reviewer')],
      [root, toolStarted('review#2.1', 'review')],
      [child('b', 'reviewer', 'review#2.1'), started('reviewer')],
      [child('c', 'helper', 'x', 'b'), started('helper')],
    );
    assert.deepEqual(
      stepTree(progress, 'r').map(({ step, round, branch }) => [branch, step.name, round]),
      [
        ['', 'Build a shop', 1],
        ['├─ ', 'review', 1],
        ['└─ ', 'review', 2],
        ['   └─ ', 'helper', 1],
      ],
    );
  });

  it('tells runs for several items of a step apart', () => {
    const progress = progressOf(
      [root, started('pipeline')],
      [root, toolStarted('code[till]#1.1', 'code')],
      [root, toolStarted('code[shelf]#1.1', 'code')],
      [child('a', 'coder', 'code[till]#1.1'), started('coder')],
      [child('b', 'coder', 'code[shelf]#1.1'), started('coder')],
    );
    assert.deepEqual(
      stepTree(progress, 'r').map(({ step, round }) => [step.name, round]),
      [
        ['Build a shop', 1],
        ['code till', 1],
        ['code shelf', 1],
      ],
    );
  });

  it('says what a run does itself: not what runs below it do', () => {
    const progress = progressOf(
      [root, started('pipeline')],
      [root, toolStarted('1', 'code')],
      [root, toolStarted('2', 'shell', { command: 'ls' })],
      [child('a', 'coder', '1'), started('coder')],
    );
    const step = progress.get('r');
    assert.ok(step);
    assert.deepEqual(
      ownCalls(step, progress).map(({ name }) => name),
      ['shell'],
    );
  });

  it('keeps what waits for a person until it is decided, and nothing after the end', () => {
    const ask: Happening = {
      type: 'approval.requested',
      callId: '1',
      name: 'pay',
      args: { amount: 5 },
    };
    const asked = progressOf([root, started('p')], [root, ask]);
    assert.deepEqual(asked.get('r')?.asked, [{ callId: '1', name: 'pay', args: { amount: 5 } }]);
    const decided: Happening = { type: 'approval.decided', callId: '1', approved: true };
    assert.deepEqual(progressOf([root, ask], [root, decided]).get('r')?.asked, []);
    const over = progressOf([root, ask], [root, finished('cancelled', 'Stopped.')]).get('r');
    assert.deepEqual([over?.asked, over?.state, over?.explanation], [[], 'cancelled', 'Stopped.']);
  });

  it('shows a pause, and that it goes on', () => {
    const paused = progressOf([root, started('p')], [root, { type: 'run.paused' }]);
    assert.equal(paused.get('r')?.state, 'paused');
    const on = progressOf([root, { type: 'run.paused' }], [root, { type: 'run.continued' }]);
    assert.equal(on.get('r')?.state, 'running');
  });
});
