import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { awaitHealthy } from './await-healthy.ts';
import { healthConfigSchema } from './health-check.ts';

const never = new AbortController().signal;

/** Answers of a service, one per question, and a clock that moves one second with each. */
async function judge(answers: readonly boolean[], successes: number) {
  let asked = 0;
  const health = healthConfigSchema.parse({
    ...{ path: '/health', successes, interval_ms: 10, timeout_s: answers.length },
  });
  const result = await awaitHealthy({
    ...{ base: 'http://service', health: { ...health, interval_ms: 0 }, signal: never },
    now: () => asked * 1000,
    ask: async () => {
      const right = answers[asked] ?? false;
      asked += 1;
      return { right, got: right ? '200' : '500 instead of 200' };
    },
  });
  return { ...result, asked };
}

describe('awaitHealthy', () => {
  it('is content with enough right answers in a row, and asks no more', async () => {
    assert.deepEqual(await judge([false, true, false, true, true, false], 2), {
      healthy: true,
      report: 'GET http://service/health gave 200, 2 times in a row.',
      asked: 5,
    });
  });

  it('says that a service flaps', async () => {
    const { healthy, report } = await judge([true, false, true, false], 2);
    assert.equal(healthy, false);
    assert.match(
      report,
      /at last: 500 instead of 200. 2 of 4 answers were right, never 2 in a row/,
    );
  });

  it('is healthy exactly if there is such a row within the time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        async (answers, successes) => {
          const text = answers.map((right) => (right ? '1' : '0')).join('');
          const at = text.indexOf('1'.repeat(successes));
          const { healthy, asked } = await judge(answers, successes);
          assert.equal(healthy, at >= 0);
          assert.equal(asked, at >= 0 ? at + successes : answers.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('ends with the signal', async () => {
    const health = healthConfigSchema.parse({});
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(awaitHealthy({ base: 'http://127.0.0.1:1', health, signal }), /enough/);
  });
});
