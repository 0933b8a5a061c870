import { readFileSync, writeFileSync } from 'node:fs';
import {
  type AbuseBackend,
  type AbuseCase,
  abuseBackends,
  expectationOf,
} from '../packages/sandbox/test/abuse/abuse-case.ts';
import { abuseGroups } from '../packages/sandbox/test/abuse/cases/index.ts';
import { Play } from '../packages/sandbox/test/abuse/play.ts';
import {
  type Cell,
  keyOf,
  putTables,
  renderTables,
} from '../packages/sandbox/test/abuse/security-table.ts';
import { makeTarget } from '../packages/sandbox/test/abuse/targets.ts';

/**
 * Attacks every kind of sandbox for real and writes what was seen into docs/security.md. Takes a few
 * minutes, and what `npm test` takes: root, Docker and bubblewrap.
 *
 *     npm run security-table
 */
const document = new URL('../docs/security.md', import.meta.url);
const results = new Map<string, Record<AbuseBackend, Cell>>();
let surprises = 0;

for (const backend of abuseBackends) {
  const play = await Play.open(await makeTarget[backend](), process.env);
  try {
    for (const { title, cases } of abuseGroups) {
      console.log(`${backend}: ${title}`);
      for (const abuse of cases)
        note(keyOf(title, abuse.name), backend, await see(play, abuse, backend));
    }
  } finally {
    await play.close();
  }
}

if (surprises > 0) {
  console.error(`${surprises} results are not what the cases say. docs/security.md is as it was.`);
  process.exitCode = 1;
} else {
  const text = readFileSync(document, 'utf8');
  writeFileSync(document, putTables(text, renderTables(abuseGroups, results)));
  console.log('docs/security.md is up to date.');
}

async function see(play: Play, abuse: AbuseCase, backend: AbuseBackend): Promise<Cell> {
  const expected = expectationOf(abuse, backend);
  if (expected === 'not run') return { verdict: expected, note: '' };
  if (expected === 'not offered') {
    if (!(await play.refuses(abuse))) surprise(backend, abuse, 'it was started');
    return { verdict: expected, note: 'refused at the start' };
  }
  const { held, seen } = await play.run(abuse);
  const verdict = held ? 'holds' : 'does not hold';
  if (verdict !== expected) surprise(backend, abuse, `${verdict}: ${seen}`);
  return { verdict, note: seen };
}

function note(key: string, backend: AbuseBackend, cell: Cell): void {
  const none: Cell = { verdict: 'not run', note: '' };
  const row = results.get(key) ?? { docker: none, bubblewrap: none, process: none };
  results.set(key, { ...row, [backend]: cell });
}

function surprise(backend: AbuseBackend, { name }: AbuseCase, what: string): void {
  surprises += 1;
  console.error(`${backend}, ${name}: ${what}`);
}
