import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../errors.ts';
import { defaultBudgetTokens, resolveBudget } from './resolve-budget.ts';

const both = { backendTokens: 32_768, modelTokens: 131_072 };

test('backend: asks the backend first, then the table, then takes the default', () => {
  assert.deepEqual(resolveBudget({ mode: 'backend', ...both }), {
    tokens: 32_768,
    source: 'backend',
  });
  assert.deepEqual(resolveBudget({ mode: 'backend', modelTokens: 131_072 }), {
    tokens: 131_072,
    source: 'model',
  });
  assert.deepEqual(resolveBudget({ mode: 'backend' }), {
    tokens: defaultBudgetTokens,
    source: 'default',
  });
});

test('full: what the model was trained for, as far as the backend can give it', () => {
  assert.deepEqual(resolveBudget({ mode: 'full', ...both }), { tokens: 32_768, source: 'backend' });
  assert.deepEqual(resolveBudget({ mode: 'full', backendTokens: 262_144, modelTokens: 131_072 }), {
    tokens: 131_072,
    source: 'model',
  });
  assert.deepEqual(resolveBudget({ mode: 'full', backendTokens: 4_096 }), {
    tokens: 4_096,
    source: 'backend',
  });
  assert.deepEqual(resolveBudget({ mode: 'full' }), {
    tokens: defaultBudgetTokens,
    source: 'default',
  });
});

test('fast: half of full', () => {
  assert.deepEqual(resolveBudget({ mode: 'fast', ...both }), { tokens: 16_384, source: 'backend' });
});

test('manual: what the user says, even against the backend', () => {
  assert.deepEqual(resolveBudget({ mode: 'manual', tokens: 64_000, ...both }), {
    tokens: 64_000,
    source: 'manual',
  });
});

test('manual without a usable number says how to fix it', () => {
  for (const tokens of [undefined, 0, -1, Number.NaN]) {
    assert.throws(
      () => resolveBudget({ mode: 'manual', tokens }),
      (error) =>
        ForgeError.is(error, 'invalid_options') &&
        /mode: 'manual', tokens: 32768/.test(error.message),
    );
  }
});

test('what a backend or a table cannot mean counts as unknown', () => {
  assert.deepEqual(resolveBudget({ mode: 'backend', backendTokens: 0, modelTokens: Number.NaN }), {
    tokens: defaultBudgetTokens,
    source: 'default',
  });
});

test('the reply has its part, and never more than a quarter', () => {
  assert.equal(
    resolveBudget({ mode: 'backend', backendTokens: 8_192, reserveForReply: 2_000 }).tokens,
    6_192,
  );
  for (const reserveForReply of [4_096, 8_192, 10_000]) {
    const budget = resolveBudget({ mode: 'backend', backendTokens: 8_192, reserveForReply });
    assert.equal(budget.tokens, 6_144);
  }
  for (const reserveForReply of [-1, Number.NaN]) {
    assert.throws(
      () => resolveBudget({ mode: 'backend', backendTokens: 8_192, reserveForReply }),
      (error) => ForgeError.is(error, 'invalid_options'),
    );
  }
});
