import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCorePurity } from './core-purity.ts';
import { manifest, withRepository } from './planted-repository.ts';

for (const specifier of ['node:fs', 'fs', 'node:sqlite', 'path/posix']) {
  test(`refuses ${specifier} in the kernel`, () => {
    const files = {
      'packages/core/package.json': manifest('@forge/core'),
      'packages/core/src/run/x.ts': `export {};\nimport '${specifier}';`,
    };
    const [violation] = withRepository(files, checkCorePurity);
    assert.deepEqual([violation?.file, violation?.line], ['packages/core/src/run/x.ts', 2]);
    assert.match(violation?.fix ?? '', /as an argument/);
  });
}

test('lets tests of the kernel, and other packages, use Node', () => {
  const files = {
    'packages/core/package.json': manifest('@forge/core'),
    'packages/core/src/x.test.ts': "import 'node:fs';",
    'packages/cli/package.json': manifest('@forge/cli'),
    'packages/cli/src/x.ts': "import 'node:fs';",
  };
  assert.deepEqual(withRepository(files, checkCorePurity), []);
});

test('refuses a third runtime dependency of the kernel', () => {
  const two = { 'packages/core/package.json': manifest('@forge/core', ['zod', 'b']) };
  assert.deepEqual(withRepository(two, checkCorePurity), []);
  const three = { 'packages/core/package.json': manifest('@forge/core', ['zod', 'b', 'c']) };
  const [violation] = withRepository(three, checkCorePurity);
  assert.match(violation?.problem ?? '', /3 runtime dependencies: zod, b, c/);
});
