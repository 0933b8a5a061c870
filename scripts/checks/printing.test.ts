import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manifest, withRepository } from './planted-repository.ts';
import { checkPrinting } from './printing.ts';

const cli = { 'packages/cli/package.json': manifest('@forge/cli') };

const prints = [
  "console.log('x');",
  "globalThis.console.error('x');",
  'const { log } = console;',
  'const c = console; c.log();',
  "process.stdout.write('x');",
  'const out = process.stderr;',
  "import { stdout } from 'node:process'; stdout.write('x');",
  "import c from 'node:console'; c.log('x');",
];

for (const print of prints) {
  test(`refuses: ${print}`, () => {
    const files = { ...cli, 'packages/cli/src/a.ts': `\n\n${print}\n` };
    const [violation, ...others] = withRepository(files, checkPrinting);
    assert.deepEqual(others, []);
    assert.deepEqual([violation?.file, violation?.line], ['packages/cli/src/a.ts', 3]);
    assert.match(violation?.fix ?? '', /terminal or a logger/);
  });
}

test('lets the terminal, a logger and tests print', () => {
  const print = "console.log('x');";
  const files = {
    ...cli,
    'packages/cli/src/terminal.ts': print,
    'packages/cli/src/logger/write-line.ts': print,
    'packages/cli/src/a.test.ts': print,
  };
  assert.deepEqual(withRepository(files, checkPrinting), []);
});

test('only the command line has a terminal', () => {
  const files = {
    'packages/core/package.json': manifest('@forge/core'),
    'packages/core/src/terminal.ts': "console.log('x');",
  };
  assert.equal(withRepository(files, checkPrinting).length, 1);
});
