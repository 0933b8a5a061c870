import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rungsTable, type Shot, waysTable } from './proxy-report.ts';

const shot: Shot = {
  set: 'shop',
  way: 'proxy',
  ask: 'Track order 305.',
  tool: true,
  args: false,
  said: '',
  seconds: 2.4,
  attempts: [
    { rung: 'native', problems: ['no_call'] },
    { rung: 'constrained', problems: [] },
  ],
};

it('counts what each way got right and what each rung won', () => {
  const shots = [shot, { ...shot, args: true, attempts: shot.attempts.slice(0, 1) }];
  assert.match(waysTable(shots), /\| shop \| proxy \| 2 of 2 \| 1 of 2 \| 3 \| 5 \|$/);
  const rows = rungsTable(shots).split('\n');
  assert.equal(rows[2], '| shop | 1. native | 2 | 0 | 0 | 0 | no_call 2 |');
  assert.equal(rows[3], '| shop | 2. constrained | 1 | 1 | 1 | 0 | – |');
});
