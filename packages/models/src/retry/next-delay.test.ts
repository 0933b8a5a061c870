import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { ModelError } from '../wire/model-error.ts';
import { nextDelay } from './next-delay.ts';
import { defaultRetryPolicy } from './retry-policy.ts';

it('never waits longer than the policy allows, and never less than the server asks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
      fc.integer({ min: 0, max: 400_000 }),
      (attempt, drawn, retryAfter, elapsed) => {
        const policy = { ...defaultRetryPolicy, attempts: 100 };
        const error = new ModelError({ kind: 'rate_limited', message: 'slow', retryAfter });
        const delay = nextDelay({ policy, error, attempt, elapsed, random: () => drawn });
        if (delay === undefined) return;
        assert.ok(delay >= (retryAfter ?? 0));
        assert.ok(delay <= (retryAfter ?? 0) + policy.maxDelay);
        assert.ok(elapsed + delay <= policy.maxElapsed);
      },
    ),
  );
});
