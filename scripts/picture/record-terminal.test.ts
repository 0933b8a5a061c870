import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordTerminal } from './record-terminal.ts';
import { readScreen } from './screen.ts';

const record = (program: string, onOutput?: (output: string) => void) =>
  recordTerminal({
    command: process.execPath,
    args: ['--eval', program],
    columns: 60,
    rows: 20,
    cwd: '.',
    env: process.env,
    ...(onOutput !== undefined && { onOutput }),
  });

test('the command finds a terminal of that size, with colours', async () => {
  const output = await record(
    `const { isTTY, columns, rows } = process.stdout;
     console.log([isTTY, columns, rows].join(' '), process.stdout.hasColors());`,
  );
  assert.equal(
    readScreen(output, 60)[0]
      ?.map(({ text }) => text)
      .join(''),
    'true 60 20 true',
  );
});

test('what it shows on the way can be kept', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-record-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const go = join(folder, 'go');
  const seen: string[] = [];
  await record(
    `process.stdout.write('half');
     const waiting = setInterval(() => {
       if (!require('node:fs').existsSync(${JSON.stringify(go)})) return;
       clearInterval(waiting);
       console.log(' and whole');
     }, 20);`,
    (output) => {
      seen.push(output);
      if (output.includes('half')) writeFileSync(go, '');
    },
  );
  assert.ok(seen.includes('half'));
  assert.match(seen.at(-1) ?? '', /half and whole/);
});

test('a command that fails gives nothing', async () => {
  await assert.rejects(record('process.exit(3)'), /ended with 3/);
});
