import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spreadOf } from '../harness/statistics.ts';
import type { EngineSpeed } from './measure-engines.ts';
import { targetTable, timesFaster } from './speed-table.ts';

function speed(name: string, ...rounds: number[]): EngineSpeed {
  const start = () => Promise.reject(new Error('not started'));
  const engine = { name, ground: '', effectsPerStep: 1, start };
  return { engine, rounds, stepsPerSecond: spreadOf(rounds) };
}

test('compares two engines within each round', () => {
  const ours = speed('ours', 300, 30, 600);
  const theirs = speed('theirs', 100, 10, 300);
  assert.equal(timesFaster(ours, theirs), 3);
});

test('says which targets are met, missed and not measured', () => {
  const { rows } = targetTable(
    [
      speed('Forge, SQLite', 1_000),
      speed('Forge, PostgreSQL', 299),
      speed('DBOS 5.3.0, PostgreSQL', 100),
      speed('LangGraph.js 1.4.18, SQLite', 200),
      speed('LangGraph.js 1.4.18, PostgreSQL', 1),
    ],
    { sqlite: 'Forge, SQLite', postgres: 'Forge, PostgreSQL' },
  );
  assert.deepEqual(
    rows.map(([, value, met]) => [value, met]),
    [
      ['2.99 ×', '**missed**'],
      ['5 ×', 'met'],
      ['not measured', ''],
    ],
  );
});
