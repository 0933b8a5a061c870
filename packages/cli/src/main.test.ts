import assert from 'node:assert/strict';
import { test } from 'node:test';
import { main } from './main.ts';

async function forge(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await main(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

test('--help goes to the standard output and documents the exit codes', async () => {
  const { code, stdout, stderr } = await forge('--help');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Usage: forge/);
  assert.match(stdout, /^ {2}demo /m);
  assert.match(stdout, /^ {2}proxy /m);
  assert.match(stdout, /Exit codes:\n {2}0 .+\n {2}1 .+\n {2}2 /);
});

test('without arguments it shows the help', async () => {
  const { code, stdout } = await forge();
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: forge/);
});

test('--version is the version of the package', async () => {
  const { code, stdout } = await forge('--version');
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('the help of a command shows the options of every command too', async () => {
  const { code, stdout } = await forge('demo', '--help');
  assert.equal(code, 0);
  for (const option of ['--json', '--delay <ms>', '--no-color', '--verbose']) {
    assert.ok(stdout.includes(option), option);
  }
});

const wrong: readonly (readonly [string[], RegExp])[] = [
  [['dmeo'], /unknown command 'dmeo'\n\(Did you mean demo\?\)/],
  [['demo', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [['--vrbose'], /unknown option '--vrbose'\n\(Did you mean --verbose\?\)/],
  [['demo', '--delay', 'soon'], /number of milliseconds, such as 250/],
  [['demo', '--delay', '-1'], /number of milliseconds/],
  [['demo', '--delay'], /argument missing/],
  [['demo', 'extra'], /too many arguments/],
];

for (const [args, message] of wrong) {
  test(`forge ${args.join(' ')} ends with 2 and says what is wrong`, async () => {
    const { code, stdout, stderr } = await forge(...args);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
    assert.match(stderr, /forge .*--help/);
  });
}
