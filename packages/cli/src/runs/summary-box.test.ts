import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { displayWidth } from '../progress/display-width.ts';
import { SummaryFold } from './agent-summary.ts';
import { type BoxFacts, summaryBox } from './summary-box.ts';

const facts: BoxFacts = {
  id: '3f2a91c0-0000-4000-8000-000000000000',
  state: 'completed',
  task: 'Write a parser for the configuration files of the shop',
  durationMs: 62_000,
  iterations: 7,
  model: 'ollama:qwen3:8b',
  tokens: { prompt: 12_000, completion: 345 },
  cost: 0.03124,
  tools: [
    { name: 'shell', calls: 12, averageMs: 830 },
    { name: 'write', calls: 2, averageMs: 4 },
  ],
  files: ['src/parse.ts'],
};

describe('the summary box', () => {
  it('says all there is to say of a run', () => {
    assert.deepEqual(summaryBox(facts), [
      '╭────────────────────────────────────────────────────────╮',
      '│ Run          3f2a91c0-0000-4000-8000-000000000000      │',
      '│ Status       ✓ completed                               │',
      '│ Task         Write a parser for the configuration f…   │',
      '│ Duration     1m 02s                                    │',
      '│ Iterations   7                                         │',
      '│ Model        ollama:qwen3:8b                           │',
      '│ Tokens       12,345 (12,000 in, 345 out)               │',
      '│ Cost         $0.0312                                   │',
      '│                                                        │',
      '│ Tools                                                  │',
      '│   shell                         12 × 830 ms            │',
      '│   write                          2 × 4 ms              │',
      '│                                                        │',
      '│ Files modified                                         │',
      '│   src/parse.ts                                         │',
      '╰────────────────────────────────────────────────────────╯',
    ]);
  });

  it('is 58 wide whatever is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 3 }), (task, model, files) => {
        for (const line of summaryBox({ ...facts, task, model, files })) {
          assert.equal(displayWidth(line), 58);
        }
      }),
    );
  });
});

describe('what a coding agent did', () => {
  it('counts calls that ran, most used first, and files without repeats', () => {
    const fold = new SummaryFold();
    let seq = 0;
    const stamp = (at: number) => ({ v: 1 as const, runId: 'r', seq: ++seq, at });
    const call = (callId: string, name: string, path: string, outcome: 'ok' | 'error') => {
      fold.add({
        ...stamp(0),
        type: 'tool.started',
        callId,
        name,
        args: { path },
        idempotencyKey: callId,
      });
      fold.add({ ...stamp(10), type: 'tool.finished', callId, name, outcome, content: [] });
    };
    call('1', 'read', 'a.ts', 'ok');
    call('2', 'write', 'a.ts', 'ok');
    call('3', 'write', 'a.ts', 'ok');
    call('4', 'edit', 'b.ts', 'error');
    fold.add({
      ...stamp(10),
      type: 'tool.finished',
      callId: '9',
      name: 'shell',
      outcome: 'denied',
      content: [],
    });
    assert.deepEqual(fold.summary, {
      model: undefined,
      tools: [
        { name: 'write', calls: 2, averageMs: 10 },
        { name: 'edit', calls: 1, averageMs: 10 },
        { name: 'read', calls: 1, averageMs: 10 },
      ],
      files: ['a.ts'],
    });
  });
});
