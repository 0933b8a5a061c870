import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt, ProxyEvent } from '@forge/proxy';
import { describeRequest, duration, isWorthALine } from './describe-request.ts';
import { createTally, describeTally } from './tally.ts';

const plain = (_: unknown, text: string) => text;
const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  rung: 'native',
  problems: [],
  mended: [],
  ...fields,
});
const event = (fields: Partial<ProxyEvent>): ProxyEvent => ({
  at: 0,
  took: 1_400,
  method: 'POST',
  path: '/v1/chat/completions',
  model: 'qwen',
  status: 200,
  outcome: 'clean',
  attempts: [attempt()],
  ...fields,
});

const lines: readonly (readonly [Partial<ProxyEvent>, string])[] = [
  [{}, 'clean      qwen  200 1.4 s'],
  [
    {
      outcome: 'rescued',
      attempts: [attempt({ format: 'hermes', mended: ['found as text (hermes)', '"3" to 3'] })],
    },
    'rescued    qwen  200 1.4 s  call found in text (hermes); "3" to 3',
  ],
  [
    { outcome: 'repaired', attempts: [attempt({ mended: ['days: "3" to 3'] })] },
    'repaired   qwen  200 1.4 s  days: "3" to 3',
  ],
  [
    {
      outcome: 'retried',
      attempts: [
        attempt({ problems: ['unknown_tool'] }),
        attempt({ rung: 'nudged', problems: ['bad_arguments', 'unknown_tool'] }),
        attempt({ rung: 'constrained' }),
      ],
    },
    'retried    qwen  200 1.4 s  2 refused (unknown_tool, bad_arguments), then right when held to a schema',
  ],
  [
    { outcome: 'exhausted', attempts: [attempt({ problems: ['no_call'] })] },
    'exhausted  qwen  200 1.4 s  1 replies, none right (no_call)',
  ],
  [
    {
      outcome: 'failed',
      status: 503,
      attempts: [],
      error: { kind: 'overloaded', message: 'busy' },
    },
    'failed     qwen  503 1.4 s  overloaded: busy',
  ],
  [
    { outcome: 'passed', model: undefined, method: 'GET', path: '/v1/models', attempts: [] },
    'passed     GET /v1/models  200 1.4 s',
  ],
];

for (const [fields, expected] of lines) {
  test(`one line for ${fields.outcome ?? 'clean'}`, () => {
    const line = describeRequest(event(fields), plain);
    assert.match(line, /^\d\d:\d\d:\d\d {2}/);
    assert.equal(line.slice(10), expected);
  });
}

test('what clients send cannot write on the terminal', () => {
  const line = describeRequest(event({ model: `a\u001b[2J\nb\u202e${'x'.repeat(500)}` }), plain);
  assert.doesNotMatch(line, /\p{C}/u);
  assert.ok(line.length < 120);
});

test('only what went wrong or was mended is worth a line', () => {
  const shown = (['clean', 'passed', 'cancelled', 'rescued', 'failed', 'refused'] as const).filter(
    (outcome) => isWorthALine(event({ outcome })),
  );
  assert.deepEqual(shown, ['rescued', 'failed', 'refused']);
});

test('the tally in words', () => {
  const tally = createTally();
  assert.equal(describeTally(tally.total), 'No requests came.');
  tally.add(event({ outcome: 'retried' }));
  assert.equal(describeTally(tally.total), '1 request: 1 retried.');
  tally.add(event({}));
  tally.add(event({}));
  assert.equal(describeTally(tally.total), '3 requests: 2 clean, 1 retried.');
});

test('durations as people say them', () => {
  assert.deepEqual([0.4, 999, 1_000, 59_900, 59_960, 125_000].map(duration), [
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '2 min 5 s',
  ]);
});
