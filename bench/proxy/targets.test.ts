import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Best } from './best-of.ts';
import { targetTable } from './targets.ts';
import { workloadNamed } from './workload.ts';

const names = { ours: 'Forge', bare: 'bare', portkey: 'Portkey' };
const best = (name: string, cpu: number, firstByte = 1): Best => ({
  name,
  cpu,
  ratio: cpu / 100,
  p50: 1,
  p99: 2,
  firstByte,
  perSecond: 1000,
  rss: 1e8,
});

test('says which promises are kept', () => {
  const alone = [best('bare', 100), best('Forge', 120), best('Portkey', 1500)];
  const crowded = [best('bare', 100), best('Forge', 160), best('Portkey', 1500)];
  const { rows } = targetTable([{ workload: workloadNamed('call-20'), alone, crowded }], names);
  assert.deepEqual(
    rows.map((row) => row.slice(2)),
    [
      ['1.2 ×', 'met'],
      ['1.6 ×', '**missed**'],
      ['9.38 ×', '**missed**'],
    ],
  );
});

test('compares the first byte of a text stream with that of the pass-through', () => {
  const list = [best('bare', 100, 1), best('Forge', 100, 2.5)];
  const result = { workload: workloadNamed('stream-text'), alone: list, crowded: list };
  const { rows } = targetTable([result], names);
  assert.deepEqual(rows[0]?.slice(2), ['1.5 ms', 'met']);
});

test('does not pass what was not measured', () => {
  const list = [best('bare', 100)];
  const { rows } = targetTable(
    [{ workload: workloadNamed('call-1'), alone: list, crowded: list }],
    names,
  );
  assert.ok(rows.every(([, , value, met]) => value === 'not measured' && met === ''));
});
