import assert from 'node:assert/strict';
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

test('what it shows on the way can be kept', async () => {
  const seen: string[] = [];
  await record(
    "process.stdout.write('half'); setTimeout(() => console.log(' and whole'), 300)",
    (output) => seen.push(output),
  );
  assert.equal(seen[0], 'half');
  assert.match(seen.at(-1) ?? '', /half and whole/);
});

test('a command that fails gives nothing', async () => {
  await assert.rejects(record('process.exit(3)'), /ended with 3/);
});
