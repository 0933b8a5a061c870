import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProxyEvent } from '../proxy-event.ts';
import { createStats } from './create-stats.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Strict: HELP, then TYPE, then the samples of that metric together; each series once. */
function parseMetrics(text: string): readonly Sample[] {
  assert.ok(text.endsWith('\n'));
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const families = new Set<string>();
  let helped = '';
  let family = { name: '', type: '' };
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-z_]+) (.+)$/.exec(line);
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line);
    if (help?.[1] !== undefined) helped = help[1];
    else if (type?.[1] !== undefined && type[2] !== undefined) {
      assert.equal(type[1], helped, 'HELP comes before TYPE');
      assert.ok(!families.has(type[1]), 'a metric stands in one place');
      families.add(type[1]);
      family = { name: type[1], type: type[2] };
    } else {
      const sample = parseSample(line);
      const suffix = sample.name.slice(family.name.length);
      assert.ok(sample.name.startsWith(family.name), line);
      const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      assert.ok(suffixes.includes(suffix), line);
      if (family.type === 'counter') assert.ok(family.name.endsWith('_total'), line);
      const key = line.slice(0, line.lastIndexOf(' '));
      assert.ok(!seen.has(key), `twice: ${key}`);
      seen.add(key);
      samples.push(sample);
    }
  }
  return samples;
}

function parseSample(line: string): Sample {
  const head = /^([a-z_]+)(\{|(?= ))/.exec(line);
  assert.ok(head?.[1] !== undefined, line);
  let rest = line.slice(head[0].length);
  const labels: Record<string, string> = {};
  while (head[2] === '{' && !rest.startsWith('}')) {
    const pair = /^([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|(?=\}))/.exec(rest);
    assert.ok(pair?.[1] !== undefined && pair[2] !== undefined, line);
    labels[pair[1]] = pair[2].replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one));
    rest = rest.slice(pair[0].length);
  }
  const value = /^\}? (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(rest)?.[1];
  assert.ok(value !== undefined, line);
  return { name: head[1], labels, value: Number(value) };
}

const event: ProxyEvent = {
  at: 0,
  took: 300,
  method: 'POST',
  path: '/v1/messages',
  wire: 'anthropic-messages',
  model: 'qwen',
  status: 200,
  stream: true,
  outcome: 'retried',
  attempts: [
    { rung: 'native', problems: ['no_call'], tone: 1, mended: [] },
    {
      rung: 'constrained',
      problems: [],
      mended: ['trailing_comma'],
      format: 'hermes',
      usage: { inputTokens: 7, outputTokens: 3 },
    },
  ],
};

describe('metrics', () => {
  it('are what was recorded', async () => {
    const stats = createStats({ now: () => 12_500 });
    stats.record(event);
    stats.record({ ...event, outcome: 'exhausted', took: 400_000 });
    const samples = parseMetrics(await stats.metrics());
    const sampleOf = (name: string, labels: Record<string, string> = {}) =>
      samples.find(
        (one) =>
          one.name === `forge_proxy_${name}` &&
          Object.entries(labels).every(([key, value]) => one.labels[key] === value),
      )?.value;
    assert.equal(sampleOf('start_time_seconds'), 12.5);
    assert.equal(sampleOf('in_flight'), 0);
    const asked = { model: 'qwen', wire: 'anthropic-messages', outcome: 'retried' };
    assert.equal(sampleOf('requests_total', asked), 1);
    assert.equal(sampleOf('rescued_total', { format: 'hermes' }), 1);
    assert.equal(sampleOf('mended_total', { kind: 'trailing_comma' }), 2);
    assert.equal(sampleOf('problems_total', { kind: 'no_call' }), 2);
    assert.equal(sampleOf('retried_total', { result: 'won' }), 1);
    assert.equal(sampleOf('retried_total', { result: 'lost' }), 1);
    assert.equal(sampleOf('attempts_won_total', { rung: 'constrained' }), 1);
    assert.equal(sampleOf('tokens_total', { direction: 'output' }), 6);
    assert.equal(sampleOf('request_duration_seconds_bucket', { le: '0.25' }), 0);
    assert.equal(sampleOf('request_duration_seconds_bucket', { le: '0.5' }), 1);
    assert.equal(sampleOf('request_duration_seconds_bucket', { le: '+Inf' }), 2);
    assert.equal(sampleOf('request_duration_seconds_count'), 2);
    assert.equal(sampleOf('request_duration_seconds_sum'), 400.3);
  });

  it('hold any name of a model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 150 }), async (model) => {
        const stats = createStats({ now: () => 0 });
        stats.record({ ...event, model });
        const samples = parseMetrics(await stats.metrics());
        assert.equal(
          samples.find(({ name }) => name.endsWith('requests_total'))?.labels.model,
          model,
        );
      }),
    );
  });
});
