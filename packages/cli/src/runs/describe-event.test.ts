import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '@forge/core';
import { describeEvent } from './describe-event.ts';

const stamp = { v: 1 as const, runId: 'r', seq: 1, at: 0 };
const describeHappening = (happening: Happening) => describeEvent({ ...stamp, ...happening });

const rows: readonly (readonly [Happening, string, string])[] = [
  [{ type: 'run.paused', by: 'ann', reason: 'lunch' }, 'warn', 'is paused (ann): lunch'],
  [{ type: 'run.continued' }, 'info', 'goes on'],
  [
    { type: 'model.failed', turn: 2, error: 'down' },
    'error',
    'turn 2: the model could not be asked: down',
  ],
  [
    { type: 'approval.requested', callId: '1', name: 'shell', args: { command: 'git push' } },
    'warn',
    'asks for a yes: shell git push',
  ],
  [
    { type: 'approval.decided', callId: '1', approved: false, by: 'ann', reason: 'not now' },
    'warn',
    'is denied it (ann): not now',
  ],
  [
    {
      type: 'tool.finished',
      callId: '1',
      name: 'shell',
      outcome: 'error',
      content: [{ type: 'text', text: 'exit 1\nno such file' }],
    },
    'error',
    'shell: error: exit 1 no such file',
  ],
  [
    {
      type: 'run.finished',
      status: 'failed',
      reason: 'turn_limit',
      explanation: 'Too many turns.',
    },
    'error',
    'failed: Too many turns.',
  ],
  [
    {
      type: 'outcome.recorded',
      kind: 'human',
      verdict: 'failure',
      by: 'ann',
      note: 'slow',
      taskType: 't',
      agent: 'a',
      cost: 0,
      tokens: 0,
      latencyMs: 2_000,
    },
    'info',
    'outcome of the human: failure (2s, 0 tokens, $0.0000): slow (ann)',
  ],
];

describe('an event in a sentence', () => {
  for (const [happening, level, text] of rows) {
    it(`of ${happening.type}`, () => {
      assert.deepEqual(
        [describeHappening(happening).level, describeHappening(happening).text],
        [level, text],
      );
    });
  }

  it('is one line, bounded and without control characters, whatever a model wrote', () => {
    const { text } = describeHappening({
      type: 'reply.answered',
      turn: 1,
      message: { role: 'assistant', content: [] },
      text: `\u001b[2J\u0007a\nb${'x'.repeat(10_000)}`,
    });
    assert.ok(text.length < 300);
    assert.match(text, /^answers: <U\+0007>a bx+…$/);
  });

  it('of a later version is shown as it is', () => {
    const later: unknown = { ...stamp, type: 'run.painted', colour: 'red' };
    // What a later version wrote has no type here.
    const { text, detail } = describeEvent(later as Parameters<typeof describeEvent>[0]);
    assert.match(text, /does not know: .*"colour":"red"/);
    assert.equal(detail, true);
  });
});
