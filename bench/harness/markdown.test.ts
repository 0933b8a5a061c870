import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFigure, formatTime, toMarkdown } from './markdown.ts';

const spread = (median: number) => ({ median, p10: median * 0.9, p90: median * 1.1 });

test('writes a comparison as a table', () => {
  const text = toMarkdown({
    kind: 'comparison',
    title: 'Judging',
    baseline: 'JSON.parse',
    contenders: [
      { name: 'JSON.parse', nanoseconds: spread(3000), ratio: spread(1) },
      {
        name: 'a | b',
        nanoseconds: spread(4500),
        ratio: spread(1.5),
        target: { atMost: 2, met: true },
      },
      {
        name: 'slow',
        nanoseconds: spread(9e6),
        ratio: spread(3000),
        target: { atMost: 2, met: false },
      },
    ],
    notes: ['A note.'],
  });
  assert.equal(
    text,
    [
      '### Judging',
      '',
      '| contender | time (p10–p90) | against JSON.parse | target |',
      '| --- | --- | --- | --- |',
      '| JSON.parse | 3 µs (2.7 µs–3.3 µs) | 1 |  |',
      '| a \\| b | 4.5 µs (4.05 µs–4.95 µs) | 1.5 (1.35–1.65) × | ≤ 2 × met |',
      '| slow | 9 ms (8.1 ms–9.9 ms) | 3,000 (2,700–3,300) × | ≤ 2 × **missed** |',
      '',
      '- A note.',
    ].join('\n'),
  );
});

test('writes a scaling result as a table', () => {
  const text = toMarkdown({
    kind: 'scaling',
    title: 'Growth',
    unit: 'events',
    cases: [
      {
        name: 'fold',
        points: [
          { size: 1000, nanoseconds: spread(1e6) },
          { size: 2000, nanoseconds: spread(2e6) },
        ],
        exponent: 1,
      },
    ],
    notes: [],
  });
  assert.match(text, /\| fold \| 1,000 → 2,000 \| 1 ms → 2 ms \| 1\.00 \| {2}\|$/);
});

test('writes a table as it is', () => {
  const text = toMarkdown({
    kind: 'table',
    title: 'Proxies',
    head: ['in the middle', 'CPU'],
    rows: [['a | b', '52 µs']],
    notes: ['A note.'],
  });
  assert.equal(
    text,
    [
      '### Proxies',
      '',
      '| in the middle | CPU |',
      '| --- | --- |',
      '| a \\| b | 52 µs |',
      '',
      '- A note.',
    ].join('\n'),
  );
});

test('figures have three digits, and units that fit', () => {
  assert.deepEqual([0.01234, 1.234, 12.34, 1234, 0, Number.NaN].map(formatFigure), [
    '0.0123',
    '1.23',
    '12.3',
    '1,234',
    '0',
    'n/a',
  ]);
  assert.deepEqual([12, 1.5e3, 2e6, 3e9].map(formatTime), ['12 ns', '1.5 µs', '2 ms', '3 s']);
});
