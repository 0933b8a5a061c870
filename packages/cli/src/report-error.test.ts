import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { reportError } from './report-error.ts';
import { createTerminal } from './terminal.ts';

async function report(error: unknown, verbose = false): Promise<string> {
  let stderr = '';
  const terminal = createTerminal({
    config: { color: false, columns: undefined },
    stdout: { write: () => assert.fail('an error is not a result') },
    stderr: { write: (text) => (stderr += text) },
  });
  await reportError(error, { terminal, verbose });
  return stderr;
}

test('an error of ours is its message, without a stack', async () => {
  const error = new ForgeError('invalid_agent', 'requiredSteps names "x". Tools: y.');
  assert.equal(await report(error), 'forge: requiredSteps names "x". Tools: y.\n');
});

test('an unexpected error says how to see more', async () => {
  const text = await report(new TypeError('x is not a function'));
  assert.match(text, /^forge: an unexpected error: x is not a function\n.+--verbose/);
  assert.doesNotMatch(text, /at .+\.ts/);
  assert.match(await report('thrown text'), /thrown text/);
});

test('--verbose shows the stack and the cause', async () => {
  const cause = new Error('socket closed');
  const text = await report(new ForgeError('model_failed', 'The model is gone.', { cause }), true);
  assert.match(text, /The model is gone\./);
  assert.match(text, /report-error\.test\.ts/);
  assert.match(text, /socket closed/);
});
