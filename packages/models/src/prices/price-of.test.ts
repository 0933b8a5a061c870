import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listedContextWindow, priceOf } from './price-of.ts';

const million = 1_000_000;
const at = new Date('2026-01-15T12:00:00Z');

function costOf(call: Parameters<typeof priceOf>[0]): number {
  const price = priceOf({ at, ...call });
  assert.ok('cost' in price, 'unpriced');
  return price.cost;
}

describe('the price of a call', () => {
  const gpt = { model: 'gpt-5', provider: 'openai' };

  it('is that of its input and output', () => {
    const usage = { inputTokens: million, outputTokens: million };
    assert.equal(costOf({ ...gpt, usage }), 1.25 + 10);
  });

  it('is lower for cached input, which is part of the input', () => {
    const usage = { inputTokens: million, outputTokens: 0, cachedInputTokens: million };
    assert.equal(costOf({ ...gpt, usage }), 0.125);
  });

  it('is higher for input written to a cache, where the provider bills it so', () => {
    const claude = { model: 'claude-haiku-4-5', provider: 'anthropic' };
    const plain = { inputTokens: 1_000, outputTokens: 0 };
    const written = costOf({ ...claude, usage: { ...plain, cacheWriteTokens: 1_000 } });
    assert.ok(written > costOf({ ...claude, usage: plain }));
  });

  it('counts reasoning once: it is part of the output', () => {
    const usage = { inputTokens: 0, outputTokens: million };
    const reasoned = { ...usage, reasoningTokens: 900_000 };
    assert.equal(costOf({ ...gpt, usage: reasoned }), costOf({ ...gpt, usage }));
  });

  it('knows a separate rate for reasoning', () => {
    const call = { model: 'perplexity/sonar-deep-research', provider: 'openrouter' };
    const usage = { inputTokens: 0, outputTokens: million, reasoningTokens: million };
    assert.equal(costOf({ ...call, usage }), 3);
  });

  it('knows dated names', () => {
    const usage = { inputTokens: million, outputTokens: 0 };
    assert.equal(costOf({ model: 'gpt-5-2025-08-07', provider: 'openai', usage }), 1.25);
  });

  it('is unknown, not zero, for models and providers not listed', () => {
    const usage = { inputTokens: 10, outputTokens: 10 };
    for (const [model, provider] of [
      ['qwen3:8b', undefined],
      ['gpt-4o', undefined],
      ['no-such-model', 'openai'],
      ['gpt-4o', 'no-such-provider'],
    ]) {
      assert.deepEqual(priceOf({ model: model ?? '', provider, usage }), { unpriced: true });
    }
  });

  it('survives counts that make no sense', () => {
    const odd = { inputTokens: 10, outputTokens: 10, cachedInputTokens: 50, reasoningTokens: 99 };
    assert.ok('cost' in priceOf({ ...gpt, usage: odd }));
    const absurd = { inputTokens: Number.NaN, outputTokens: -1 };
    assert.deepEqual(priceOf({ ...gpt, usage: absurd }), { unpriced: true });
  });
});

describe('the listed context window', () => {
  it('is known for models of the big providers', () => {
    assert.equal(listedContextWindow('gpt-4o', 'openai'), 128_000);
    assert.equal(listedContextWindow('claude-sonnet-4-5', 'anthropic'), 200_000);
  });

  it('is unknown otherwise', () => {
    assert.equal(listedContextWindow('gpt-4o', undefined), undefined);
    assert.equal(listedContextWindow('nothing-like-it', 'openai'), undefined);
  });
});
