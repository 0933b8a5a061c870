import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { abuseBackends, expectationOf } from './abuse-case.ts';
import { abuseGroups } from './cases/index.ts';
import { keyOf, putTables, readTables, renderTables } from './security-table.ts';

const document = new URL('../../../../docs/security.md', import.meta.url);

describe('the table of attacks', () => {
  it('in docs/security.md lists every case there is, with what is expected of each backend', () => {
    const expected = abuseGroups.flatMap(({ title, cases }) =>
      cases.map((abuse) => [
        title,
        abuse.name,
        abuse.tries,
        ...abuseBackends.map((backend) => expectationOf(abuse, backend)),
      ]),
    );
    const hint = 'run "npm run security-table"';
    assert.deepEqual(readTables(readFileSync(document, 'utf8')), expected, hint);
  });

  it('has one name for each case', () => {
    const names = abuseGroups.flatMap(({ title, cases }) =>
      cases.map(({ name }) => keyOf(title, name)),
    );
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('reads what it wrote, whatever is in a cell', () => {
    const abuse = { name: 'a | b', tries: 'x', attempt: () => assert.fail('not to be run') };
    const cell = { verdict: 'holds', note: 'no | such – thing' } as const;
    const groups = [{ title: 'Group', cases: [abuse] }];
    const results = new Map([
      [
        keyOf('Group', 'a | b'),
        { docker: cell, bubblewrap: cell, process: { verdict: 'not run', note: '' } as const },
      ],
    ]);
    const empty =
      '# X\n<!-- abuse table: written by scripts/security-table.ts -->\n<!-- end of the abuse table -->\n';
    const written = putTables(empty, renderTables(groups, results));
    assert.deepEqual(readTables(written), [['Group', 'a | b', 'x', 'holds', 'holds', 'not run']]);
    assert.equal(putTables(written, renderTables(groups, results)), written);
  });
});
