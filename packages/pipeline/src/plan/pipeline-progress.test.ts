import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProgramCall } from '@forge/core';
import { checkPipeline } from '../definition/check-pipeline.ts';
import { type NodeView, pipelineProgress } from './pipeline-progress.ts';

const any = { input: {}, output: {} };
const checked = checkPipeline(
  {
    name: 'p',
    nodes: {
      plan: { agent: 'any', retries: 1 },
      code: { agent: 'any', each: { items: 'plan.tasks', as: 'task', key: 'id', after: 'after' } },
      fix: { agent: 'any' },
      review: { agent: 'any' },
      ship: { agent: 'any' },
      undo: { agent: 'any' },
    },
    edges: [
      { from: 'plan', to: 'code' },
      { from: 'code', to: 'review' },
      { from: 'fix', to: 'review' },
      { from: 'review', to: 'fix', when: { ref: 'review.ok', is: false }, loop: { max: 2 } },
      { from: 'review', to: 'ship', when: { ref: 'review.ship', is: true } },
      { from: 'review', to: 'undo', when: { ref: 'review.ship', is: false } },
      { from: 'undo', to: 'fix', loop: { max: 1 } },
    ],
  },
  { any },
);

const call = (id: string, result?: unknown): ProgramCall => ({
  id,
  name: id.replace(/[[#].*/, ''),
  args: {},
  status: result === undefined ? 'open' : result instanceof Error ? 'failed' : 'ok',
  text:
    result === undefined ? '' : result instanceof Error ? result.message : JSON.stringify(result),
});
const show = (...calls: ProgramCall[]) => pipelineProgress(checked, { input: ['{}'], calls });
const line = (views: readonly NodeView[]) =>
  views.map(({ id, status, round }) => `${id} ${status}${round > 0 ? ` ${round}` : ''}`).join(', ');

const tasks = [{ id: 'a' }, { id: 'b', after: ['a'] }];
const coded = [call('plan#1.1', { tasks }), call('code[a]#1.1', 1), call('code[b]#1.1', 2)];

describe('where a pipeline stands', () => {
  it('is shown for every node, before anything has begun', () => {
    assert.equal(
      line(show()),
      'plan pending 1, code pending, fix dormant, review pending, ship pending, undo pending',
    );
  });

  it('shows which attempt it is, and its call', () => {
    const [plan] = show(call('plan#1.1', new Error('no')), call('plan#1.2'));
    assert.deepEqual(plan, {
      id: 'plan',
      agent: 'any',
      status: 'running',
      round: 1,
      attempt: 2,
      callIds: ['plan#1.2'],
    });
  });

  it('shows the items of a node', () => {
    const [, code] = show(call('plan#1.1', { tasks }), call('code[a]#1.1'));
    assert.deepEqual(code?.items, [
      { key: 'a', status: 'running', attempt: 1, callId: 'code[a]#1.1' },
      { key: 'b', status: 'pending', attempt: 0 },
    ]);
    const [, failed] = show(call('plan#1.1', { tasks }), call('code[a]#1.1', new Error('no')));
    assert.deepEqual([failed?.status, failed?.reason], ['failed', 'item a: no']);
    assert.deepEqual(
      failed?.items?.map(({ status }) => status),
      ['failed', 'skipped'],
    );
  });

  it('shows rounds', () => {
    const views = show(
      ...coded,
      call('review#1.1', { ok: false }),
      call('fix#1.1', {}),
      call('review#2.1'),
    );
    assert.equal(
      line(views),
      'plan done 1, code done 1, fix done 1, review running 2, ship pending, undo pending',
    );
  });

  it('shows nothing as skipped that may still have its turn', () => {
    const undoing = show(...coded, call('review#1.1', { ship: false }), call('undo#1.1'));
    assert.match(line(undoing), /ship pending, undo running 1$/);
    const shipping = show(...coded, call('review#1.1', { ship: true }), call('ship#1.1'));
    assert.match(line(shipping), /ship running 1, undo skipped$/);
  });
});
