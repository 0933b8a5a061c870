import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRouter } from './create-router.ts';

const without =
  (...models: readonly string[]) =>
  (model: string) =>
    models.includes(model) ? { missing: `set ${model.toUpperCase()}_API_KEY` } : (true as const);

describe('the router', () => {
  it('uses the model with all of the weight', () => {
    const router = createRouter({ weights: { coding: { a: 0, b: 1 } }, defaultModel: 'a' });
    const route = router.route({ taskType: 'coding', seed: 'run-1' });
    assert.deepEqual([route.model, route.reason, route.weights], ['b', 'weights', { b: 1 }]);
    assert.ok(route.draw !== undefined && route.draw >= 0 && route.draw < 1);
  });

  it('uses the default where a kind of work has no weights', () => {
    const router = createRouter({ weights: { coding: { b: 1 } }, defaultModel: 'a' });
    assert.deepEqual(router.route({ taskType: 'review', seed: 's' }), {
      model: 'a',
      reason: 'default',
      weights: { a: 1 },
      draw: undefined,
      skipped: [],
    });
    assert.equal(router.route({ taskType: 'constructor', seed: 's' }).reason, 'default');
  });

  it('uses a model that is pinned, and draws nothing', () => {
    const router = createRouter({ weights: { coding: { b: 1 } }, defaultModel: 'a' });
    const route = router.route({ taskType: 'coding', pinned: 'c', seed: 's' });
    assert.deepEqual([route.model, route.reason, route.draw], ['c', 'pinned', undefined]);
  });

  it('goes on to another model where a key is missing, and says so', () => {
    const router = createRouter({
      weights: { coding: { a: 1000, b: 1 } },
      available: without('a'),
    });
    const route = router.route({ taskType: 'coding', seed: 's' });
    assert.equal(route.model, 'b');
    assert.deepEqual(route.skipped, [{ model: 'a', why: 'set A_API_KEY' }]);
  });

  it('does not put another model in the place of one that somebody named', () => {
    const router = createRouter({ weights: { coding: { b: 1 } }, available: without('a') });
    assert.throws(() => router.route({ taskType: 'coding', pinned: 'a', seed: 's' }), {
      code: 'not_found',
      message: 'No model can be used for coding: a (set A_API_KEY).',
    });
  });

  it('falls back to the default if nothing with weight can be used', () => {
    const router = createRouter({
      weights: { coding: { a: 1 } },
      defaultModel: 'd',
      available: without('a'),
    });
    const route = router.route({ taskType: 'coding', seed: 's' });
    assert.deepEqual([route.model, route.reason], ['d', 'fallback']);
  });

  it('names every variable if no model can be used', () => {
    const router = createRouter({
      weights: { coding: { a: 1, b: 2 } },
      defaultModel: 'b',
      available: without('a', 'b'),
    });
    assert.throws(() => router.route({ taskType: 'coding', seed: 's' }), {
      code: 'not_found',
      message: 'No model can be used for coding: a (set A_API_KEY), b (set B_API_KEY).',
    });
  });

  it('says how to configure one if there is none at all', () => {
    assert.throws(() => createRouter({}).route({ taskType: 'coding', seed: 's' }), {
      code: 'not_found',
      message: /No model is configured for coding\. Set model in forge\.yaml/,
    });
  });

  it('refuses weights that are none', () => {
    assert.throws(() => createRouter({ weights: { coding: { a: -1 } } }), /at least 0, not -1/);
    assert.throws(() => createRouter({ weights: { coding: { a: Number.NaN } } }), /not NaN/);
  });

  const models = ['a', 'b', 'c', 'd', 'e'];
  const anyWeights = fc.dictionary(
    fc.constantFrom(...models),
    fc.oneof(fc.nat(100), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
  );

  it('never chooses a model that is not available or has no weight, and always the same', () => {
    fc.assert(
      fc.property(anyWeights, fc.subarray(models), fc.string(), (coding, gone, seed) => {
        const make = () => createRouter({ weights: { coding }, available: without(...gone) });
        const may = Object.keys(coding).filter(
          (model) => (coding[model] ?? 0) > 0 && !gone.includes(model),
        );
        if (may.length === 0) {
          assert.throws(() => make().route({ taskType: 'coding', seed }), { code: 'not_found' });
          return;
        }
        const route = make().route({ taskType: 'coding', seed });
        assert.ok(may.includes(route.model));
        assert.deepEqual(make().route({ taskType: 'coding', seed }), route);
        const sum = Object.values(route.weights).reduce((total, share) => total + share, 0);
        assert.ok(Math.abs(sum - 1) < 1e-9);
      }),
    );
  });

  it('follows the weights over many seeds', () => {
    const small = fc.dictionary(fc.constantFrom(...models), fc.integer({ min: 1, max: 9 }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(small, fc.string(), (coding, salt) => {
        const router = createRouter({ weights: { coding } });
        const counts: Record<string, number> = {};
        const rounds = 4_000;
        for (let round = 0; round < rounds; round++) {
          const { model } = router.route({ taskType: 'coding', seed: `${salt}${round}` });
          counts[model] = (counts[model] ?? 0) + 1;
        }
        const total = Object.values(coding).reduce((sum, weight) => sum + weight, 0);
        for (const [model, weight] of Object.entries(coding)) {
          const share = (counts[model] ?? 0) / rounds;
          // Six times what chance alone moves a share by.
          assert.ok(Math.abs(share - weight / total) < 6 * Math.sqrt(0.25 / rounds));
        }
      }),
      { numRuns: 20 },
    );
  });
});
