import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '@forge/core';
import fc from 'fast-check';
import { displayWidth } from './display-width.ts';
import type { Progress } from './progress.ts';
import {
  child,
  finished,
  progressOf,
  root,
  started,
  toolStarted,
} from './progress-fixtures.test.ts';
import { renderProgress } from './render-progress.ts';

const plain = (_: unknown, text: string) => text;
function lines(progress: Progress, more: { width?: number; height?: number; frame?: number } = {}) {
  return renderProgress(progress, {
    rootId: 'r',
    width: 72,
    height: 20,
    now: 65_000,
    frame: 0,
    style: plain,
    ...more,
  });
}

const replied: Happening = {
  type: 'model.replied',
  turn: 1,
  reply: {
    content: [],
    finish: 'stop',
    usage: { inputTokens: 12_000, outputTokens: 345 },
    cost: 0.0312,
  },
};
const shop = progressOf(
  [root, started('pipeline')],
  [root, toolStarted('1', 'plan')],
  [child('a', 'planner', '1'), started('planner')],
  [child('a', 'planner', '1'), replied],
  [child('a', 'planner', '1'), finished('completed')],
  [root, toolStarted('2', 'code')],
  [child('b', 'coder', '2'), started('coder')],
  [
    child('b', 'coder', '2'),
    {
      type: 'reply.refused',
      turn: 1,
      kind: 'retry',
      drain: 'retries',
      tone: 1,
      problems: [],
      message: { role: 'assistant', content: [] },
      nudges: [],
    },
  ],
  [child('b', 'coder', '2'), toolStarted('x', 'shell', { command: 'npm test' })],
);

describe('the tree', () => {
  it('has a line for each run, with what it does and what it took', () => {
    assert.deepEqual(lines(shop), [
      '⠋ Build a shop                               1m 05s  12k tokens  $0.0312',
      '├─ ✓ plan                                        2s  12k tokens  $0.0312',
      '└─ ⠋ code  shell npm test · 1 nudge                                  59s',
    ]);
  });

  it('turns the spinners only', () => {
    const [first, second] = [lines(shop), lines(shop, { frame: 1 })];
    assert.equal(first[1], second[1]);
    assert.notEqual(first[2], second[2]);
  });

  it('leaves the figures out before it cuts a name', () => {
    assert.deepEqual(lines(shop, { width: 26 }), [
      '⠋ Build a shop',
      '├─ ✓ plan',
      '└─ ⠋ code  shell npm…  59s',
    ]);
  });

  it('shows how a run failed, and what waits for a yes', () => {
    const failed = progressOf([root, started('p')], [root, finished('failed', 'No tests pass.')]);
    assert.match(lines(failed)[0] ?? '', /^✗ Build a shop {2}No tests pass\./);
    const asks = progressOf(
      [root, started('p')],
      [
        root,
        { type: 'approval.requested', callId: '1', name: 'shell', args: { command: 'git push' } },
      ],
    );
    assert.match(lines(asks)[0] ?? '', /^\? Build a shop {2}asks for a yes: shell git push/);
  });

  it('marks a verdict that is no, though the run was completed', () => {
    const review = progressOf(
      [root, started('p')],
      [root, finished('completed')],
      [
        root,
        {
          type: 'outcome.recorded',
          kind: 'review',
          verdict: 'failure',
          note: 'fail, 2 findings',
          taskType: 'review',
          agent: 'reviewer',
          cost: 0,
          tokens: 0,
          latencyMs: 1,
        },
      ],
    );
    assert.match(lines(review)[0] ?? '', /^✗ Build a shop {2}fail, 2 findings/);
  });

  it('neutralises what a model wrote', () => {
    const nasty = progressOf(
      [root, started('p')],
      [root, toolStarted('1', 'shell', { command: 'ls\u001b[2J\u001b]0;x\u0007\nrm' })],
    );
    assert.match(lines(nasty)[0] ?? '', /shell ls rm/);
  });

  it('keeps what runs where there is no room for all of it', () => {
    const many = progressOf(
      [root, started('p')],
      ...Array.from({ length: 10 }, (_, at) => {
        const member = child(`c${at}`, `agent${at}`, String(at));
        return [
          [member, started('x')] as const,
          ...(at === 2 ? [] : [[member, finished('completed')] as const]),
        ];
      }).flat(),
    );
    const shown = lines(many, { height: 4 });
    assert.equal(shown.length, 4);
    assert.match(shown[1] ?? '', /agent2/);
    assert.match(shown[2] ?? '', /agent9/);
    assert.match(shown[3] ?? '', /8 more/);
  });

  it('never is wider or higher than it may be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 12 }),
        (names, width, height) => {
          const progress = progressOf(
            [root, started('p')],
            ...names.map(
              (name, at) =>
                [child(`c${at}`, name, String(at)), toolStarted('t', name, { name })] as const,
            ),
          );
          const shown = lines(progress, { width, height });
          assert.ok(shown.length <= height, `${shown.length} lines`);
          for (const line of shown) assert.ok(displayWidth(line) <= width, line);
        },
      ),
    );
  });
});
