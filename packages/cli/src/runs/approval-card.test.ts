import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApprovalView } from '@forge/runtime';
import { approvalCard } from './approval-card.ts';

const view: ApprovalView = {
  id: 'r:1:c',
  callId: 'c',
  runId: 'r',
  rootId: 'r',
  agent: 'shop/coder',
  tool: 'shell',
  proposed: {},
  effective: {},
  question: undefined,
  deciders: undefined,
  expiresAt: undefined,
  state: 'pending',
  requestedAt: 0,
  decidedAt: undefined,
  decidedBy: undefined,
  via: undefined,
  approved: undefined,
  answer: undefined,
  reason: undefined,
  actions: ['approve', 'edit', 'deny'],
  suggestions: [],
};
const card = (more: Partial<ApprovalView>) =>
  approvalCard({ ...view, ...more }, { style: (_, text) => text });

describe('the card of an approval', () => {
  it('shows all of what will run, and what is hidden in it', () => {
    const long = 'x'.repeat(5_000);
    assert.deepEqual(card({ effective: { command: 'rm\u202e -rf\u001b[2K /', long, count: 2 } }), [
      'coder wants to run shell:',
      '  command: rm<U+202E> -rf /',
      `  long: ${long}`,
      '  count: 2',
      '  id: r:1:c',
    ]);
  });

  it('keeps the lines of a text', () => {
    assert.deepEqual(card({ effective: { content: 'a\n  b\n' } }).slice(1, -1), [
      '  content:',
      '  │ a',
      '  │   b',
      '  │ ',
    ]);
  });

  it('shows a question with its choices, and until when it can be answered', () => {
    const question = { kind: 'choice' as const, question: 'Which?', choices: ['one', 'two'] };
    assert.deepEqual(card({ question, expiresAt: 0 }), [
      'coder asks:',
      '  Which?',
      '  1. one',
      '  2. two',
      '  id: r:1:c',
      '  until 1970-01-01 00:00:00 UTC',
    ]);
  });

  it('says that an interrupted call may have happened', () => {
    const lines = card({ question: { kind: 'interrupted' }, effective: { command: 'pay' } });
    assert.equal(lines[0], 'coder may run shell again?');
    assert.match(lines[2] ?? '', /had begun when its process died/);
  });
});
