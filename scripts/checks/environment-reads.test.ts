import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEnvironmentReads } from './environment-reads.ts';
import { manifest, withRepository } from './planted-repository.ts';

const cli = { 'packages/cli/package.json': manifest('@forge/cli') };

const reads = [
  'const key = process.env.KEY;',
  "const key = process['env']['KEY'];",
  'const key = process?.env?.KEY;',
  'const { env } = process;',
  'const { KEY } = process.env;',
  'let env; ({ env } = process);',
  'const key = globalThis.process.env.KEY;',
  'const p = process; const key = p.env.KEY;',
  "import { env } from 'node:process'; export const key = env.KEY;",
  "import proc from 'node:process'; export const key = proc.env.KEY;",
  "import * as proc from 'process'; export const key = proc.env.KEY;",
  'const key = import.meta.env;',
  'for (const name in process.env) name;',
];

for (const read of reads) {
  test(`refuses: ${read}`, () => {
    const files = { ...cli, 'packages/cli/src/a.ts': `// first line\n${read}\n` };
    const [violation, ...others] = withRepository(files, checkEnvironmentReads);
    assert.deepEqual(others, []);
    assert.deepEqual([violation?.file, violation?.line], ['packages/cli/src/a.ts', 2]);
    assert.match(violation?.fix ?? '', /packages\/cli\/src\/config\.ts/);
  });
}

test('lets the config module and tests read it', () => {
  const read = 'export const key = process.env.KEY;';
  const files = {
    ...cli,
    'packages/cli/src/config.ts': read,
    'packages/cli/src/config/keys.ts': read,
    'packages/cli/src/a.test.ts': read,
  };
  assert.deepEqual(withRepository(files, checkEnvironmentReads), []);
});

test('a config module is one by its place, not by a name that starts alike', () => {
  const files = { ...cli, 'packages/cli/src/config-loader.ts': 'process.env.KEY;' };
  assert.equal(withRepository(files, checkEnvironmentReads).length, 1);
});

test('leaves other uses of process and of env alone', () => {
  const lines = [
    'process.exitCode = 1;',
    'process.cwd();',
    'options.env.KEY;',
    'child.process.env;',
  ];
  const files = { ...cli, 'packages/cli/src/a.ts': lines.join('\n') };
  assert.deepEqual(withRepository(files, checkEnvironmentReads), []);
});
