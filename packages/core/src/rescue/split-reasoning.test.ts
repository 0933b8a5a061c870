import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitReasoning } from './split-reasoning.ts';

const cases: readonly (readonly [text: string, reasoning: string, rest: string])[] = [
  ['<think>a</think>b', 'a', 'b'],
  ['<THINK foo="1">a</ think>b', 'a', 'b'],
  ['<thinking>a</thinking>b<thinking>c</thinking>d', 'a\nc', 'bd'],
  ['<reflection>a</reflection>b', 'a', 'b'],
  ['<seed:think>a</seed:think>b', 'a', 'b'],
  ['[THINK]a[/THINK]b', 'a', 'b'],
  ['<|START_THINKING|>a<|END_THINKING|>b', 'a', 'b'],
  ['<|thought_start|>a<|thought_end|>b', 'a', 'b'],
  ['◁think▷a◁/think▷b', 'a', 'b'],
  ['a\n</think>\nb', 'a', 'b'],
  ['a [BEGIN FINAL RESPONSE] b', 'a', 'b'],
  ['Thought: a\nAction: f\nAction Input: {}', 'a', 'Action: f\nAction Input: {}'],
  ['Thought: a\nFinal Answer: b', 'a', 'Final Answer: b'],
  ['<|channel|>analysis<|message|>a<|end|>b', 'a', '<|end|>b'],
  ['use `<think>` here', '', 'use `<think>` here'],
  ['{"a": "</think>"}', '', '{"a": "</think>"}'],
  ['b', '', 'b'],
];

describe('splitReasoning', () => {
  for (const [text, reasoning, rest] of cases) {
    it(JSON.stringify(text), () => {
      assert.deepEqual(splitReasoning(text), { reasoning, rest, unclosed: false });
    });
  }

  it('takes everything behind an opener that is never closed', () => {
    assert.deepEqual(splitReasoning('b<think>a <tool_call>{}'), {
      reasoning: 'a <tool_call>{}',
      rest: 'b',
      unclosed: true,
    });
  });
});
