import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunEvent } from '@forge/core';
import { type Happened, timeOfRun } from './time-of-run.ts';

const at = (runId: string, when: number, event: Record<string, unknown>): Happened => ({
  runId,
  event: { v: 1, runId, seq: 1, at: when, ...event } as unknown as RunEvent,
});
const started = (runId: string, when: number) => at(runId, when, { type: 'run.started' });
const finished = (runId: string, when: number) => at(runId, when, { type: 'run.finished' });
const asks = (runId: string, when: number, model = 'a') =>
  at(runId, when, { type: 'model.requested', model });
const replies = (runId: string, when: number) => at(runId, when, { type: 'model.replied' });
const tool = (runId: string, name: string, from: number, to: number): Happened[] => [
  at(runId, from, { type: 'tool.started', callId: `${name}${from}`, name }),
  at(runId, to, { type: 'tool.finished', callId: `${name}${from}`, name }),
];
const inOrder = (...happened: Happened[]) => happened.toSorted((a, b) => a.event.at - b.event.at);

describe('where the time of a run went', () => {
  it('is the model, tools by where they work, and the rest is ours', () => {
    const { total, spent } = timeOfRun(
      inOrder(
        started('r', 0),
        asks('r', 5),
        replies('r', 25),
        ...tool('r', 'edit', 25, 65),
        ...tool('r', 'deploy', 70, 90),
        ...tool('r', 'merger', 90, 95),
        finished('r', 100),
      ),
      'r',
    );
    assert.equal(total, 100);
    assert.deepEqual(spent, { target: 20, sandbox: 40, git: 5, model: 20, engine: 15 });
  });

  it('counts what goes on at once only once', () => {
    const { spent } = timeOfRun(
      inOrder(
        started('r', 0),
        asks('a', 0),
        replies('a', 30),
        ...tool('b', 'edit', 10, 50),
        ...tool('b', 'edit', 20, 40),
        finished('r', 50),
      ),
      'r',
    );
    assert.deepEqual(spent, { target: 0, sandbox: 40, git: 0, model: 10, engine: 0 });
  });

  it('takes no program for a model, and no child for a tool', () => {
    const { spent, gaps } = timeOfRun(
      inOrder(
        started('r', 0),
        asks('r', 0, 'program'),
        replies('r', 1),
        at('r', 1, { type: 'tool.started', callId: 'plan#1', name: 'plan' }),
        at('r', 1, { type: 'calls.deferred', callIds: ['plan#1'] }),
        started('c', 11),
        asks('c', 11),
        replies('c', 31),
        finished('c', 31),
        at('r', 36, { type: 'tool.finished', callId: 'plan#1', name: 'plan' }),
        asks('c', 36),
        replies('c', 37),
        finished('r', 40),
      ),
      'r',
    );
    assert.deepEqual(spent, { target: 0, sandbox: 0, git: 0, model: 21, engine: 19 });
    assert.deepEqual(gaps, {
      'child begins': { count: 1, ms: 10 },
      'parent hears': { count: 1, ms: 5 },
      'next step': { count: 2, ms: 4 },
    });
  });
});
