import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainOverflow } from './explain-overflow.ts';

test('names the sizes and advises on the largest', () => {
  const sizes = {
    type: 'too_large' as const,
    tokens: 9_800,
    budget: 8_192,
    fixedTokens: 6_000,
    inputTokens: 3_000,
  };
  assert.equal(
    explainOverflow(sizes),
    'The request needs about 9800 tokens and the context budget is 8192: system prompt and tools 6000, input 3000, work in progress 800. Nothing more can be removed. Use a model or backend with a larger context, or shorten the system prompt or offer fewer tools.',
  );
  assert.match(
    explainOverflow({ ...sizes, fixedTokens: 100, inputTokens: 9_000 }),
    /send less input/,
  );
  assert.match(
    explainOverflow({ ...sizes, fixedTokens: 100, inputTokens: 100 }),
    /let tools return less/,
  );
});
