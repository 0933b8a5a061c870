import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withRepository } from './checks/planted-repository.ts';

const reporter = fileURLToPath(new URL('./concise-reporter.ts', import.meta.url));

function runTests(text: string) {
  return withRepository({ 'x.test.ts': text }, (cwd) => {
    const args = ['--test', `--test-reporter=${reporter}`, 'x.test.ts'];
    // A test runner inside a test runner reports to the outer one unless it is told to forget it.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    return spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  });
}

test('counts what passes and what is skipped', () => {
  const { status, stdout } = runTests(`
    import { describe, test } from 'node:test';
    describe('suite', () => { test('a', () => {}); test.skip('b', () => {}); });
  `);
  assert.equal(status, 0);
  assert.match(stdout, /^1 passed, 0 failed, 1 skipped in [\d.]+ s\n$/);
});

test('shows what fails, once, with its place and its reason', () => {
  const { status, stdout } = runTests(`
    import { describe, test } from 'node:test';
    describe('suite', () => { test('the bad one', () => { throw new Error('broken pipe'); }); });
  `);
  assert.equal(status, 1);
  assert.match(stdout, /FAIL {2}the bad one\n {6}x\.test\.ts:3\n {4}Error: broken pipe/);
  assert.match(
    stdout,
    /0 passed, 1 failed in [\d.]+ s\n {2}failed: x\.test\.ts:3 {2}the bad one\n$/,
  );
});

test('a test file that cannot be loaded is a failure', () => {
  const { status, stdout } = runTests("import './missing.ts';");
  assert.equal(status, 1);
  assert.match(stdout, /0 passed, 1 failed/);
  assert.match(stdout, /missing\.ts/);
});
