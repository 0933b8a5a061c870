import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Attempt, ProxyEvent } from '../proxy-event.ts';
import { createStats } from './create-stats.ts';
import { outcomes } from './labels.ts';
import { usageReportSchema } from './usage-report.ts';

const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  rung: 'native',
  problems: [],
  mended: [],
  usage: { inputTokens: 10, outputTokens: 2 },
  ...fields,
});

const event = (fields: Partial<ProxyEvent> = {}): ProxyEvent => ({
  at: 1_000,
  took: 120,
  method: 'POST',
  path: '/v1/chat/completions',
  wire: 'openai-chat',
  model: 'qwen',
  tools: 1,
  status: 200,
  outcome: 'clean',
  attempts: [attempt()],
  ...fields,
});

const retried = event({
  outcome: 'retried',
  stream: true,
  attempts: [
    attempt({ problems: ['unknown_tool'], tone: 1 }),
    attempt({ rung: 'nudged', format: 'hermes', mended: ['found as text (hermes)', 'tuple'] }),
  ],
});

describe('createStats', () => {
  it('counts what became of requests, by model and in all', async () => {
    let time = 5_000;
    const stats = createStats({ now: () => time });
    stats.begin();
    stats.begin();
    stats.record(event());
    stats.record(retried);
    stats.record(event({ model: 'phi', outcome: 'exhausted', took: 999_999 }));
    time = 8_000;
    stats.begin();
    const report = usageReportSchema.parse(await stats.report());
    assert.equal(report.uptime, 3_000);
    assert.equal(report.inFlight, 1);
    assert.equal(report.total.requests, 3);
    assert.equal(report.total.outcomes.retried, 1);
    assert.equal(report.total.statuses['2xx'], 3);
    assert.deepEqual(report.total.retries, { won: 1, lost: 1 });
    assert.deepEqual(report.total.tokens, { input: 40, output: 8 });
    assert.equal(report.total.took.buckets.at(-1), 1);
    const { qwen } = report.models;
    assert.deepEqual(qwen?.rungs.native, { tries: 2, wins: 1 });
    assert.deepEqual(qwen?.rungs.nudged, { tries: 1, wins: 1 });
    assert.deepEqual(qwen?.formats, { hermes: 1 });
    assert.deepEqual(qwen?.mended, { tuple: 1 });
    assert.deepEqual(qwen?.problems, { unknown_tool: 1 });
    assert.equal(qwen?.streams, 1);
  });

  it('lists the newest hundred that were not clean, without what was said', async () => {
    const stats = createStats({ now: () => 0 });
    for (let at = 0; at < 250; at++) {
      stats.record({ ...retried, at });
      stats.record(event({ at }));
    }
    const failed = { kind: 'timeout', message: 'secret words' } as const;
    stats.record(event({ at: 250, outcome: 'failed', status: 504, attempts: [], error: failed }));
    const { recent } = await stats.report();
    assert.equal(recent.length, 100);
    assert.equal(recent[0]?.error, 'timeout');
    assert.equal(recent[1]?.at, 249);
    assert.equal(recent[99]?.at, 151);
    assert.doesNotMatch(JSON.stringify(recent), /secret/);
  });

  it('has room for 200 models and one row for the rest', async () => {
    const stats = createStats({ now: () => 0 });
    for (let at = 0; at < 1_000; at++) stats.record(event({ model: `m${at}` }));
    stats.record(event({ model: 'm5' }));
    const { models, total } = await stats.report();
    assert.equal(Object.keys(models).length, 201);
    assert.equal(models.m5?.requests, 2);
    assert.equal(models.other?.requests, 800);
    assert.equal(total.requests, 1_001);
  });

  it('bounds names of any kind, and takes those of the language for names', async () => {
    const stats = createStats({ now: () => 0 });
    const formats = ['__proto__', 'constructor', ...Array.from({ length: 500 }, (_, n) => `f${n}`)];
    for (const format of formats)
      stats.record(event({ model: '__proto__', attempts: [attempt({ format })] }));
    const { models, total } = await stats.report();
    assert.equal(Object.keys(models).length, 1);
    assert.equal(total.formats.constructor, 1);
    assert.ok(Object.keys(total.formats).length <= 65);
  });

  it('adds up to the same whatever comes', async () => {
    const anyEvent = fc.record({
      model: fc.constantFrom('a', 'b', undefined),
      outcome: fc.constantFrom(...outcomes),
      took: fc.nat(400_000),
      status: fc.integer({ min: 0, max: 700 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 50 }), async (events) => {
        const stats = createStats({ now: () => 0 });
        for (const fields of events) stats.record(event(fields));
        const { total, models } = usageReportSchema.parse(await stats.report());
        const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
        assert.equal(total.requests, events.length);
        assert.equal(sum(Object.values(total.outcomes)), events.length);
        assert.equal(sum(Object.values(total.statuses)), events.length);
        assert.equal(sum(total.took.buckets), events.length);
        assert.equal(sum(Object.values(models).map((model) => model.requests)), events.length);
      }),
    );
  });
});
