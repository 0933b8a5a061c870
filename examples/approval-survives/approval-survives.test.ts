import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

it('approval-survives: killed, approved the next day, paid once', {
  timeout: 600_000,
}, async () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main]);
  assert.equal(stderr, '');
  assert.deepEqual(stdout.trim().split('\n'), [
    'Today',
    '  you:       Pay the invoice of the print shop.',
    '  assistant: may I pay({"number":"A-17","amount":480})?',
    '  kill -9:   the worker is gone, and nothing is in memory any more.',
    'The next day',
    '  you:       yes, but only 450. (No worker is there to hear it.)',
    '  paid:      A-17, 450',
    '  assistant: The invoice of the print shop is paid.',
    '  log:       18 events over 1 day, 1 payment.',
  ]);
});
