import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDependencyDirection, packageNameOf } from './dependency-direction.ts';
import { layers } from './layers.ts';
import { manifest, withRepository } from './planted-repository.ts';
import { formatViolation } from './violation.ts';

const packages = {
  'packages/core/package.json': manifest('@forge/core'),
  'packages/cli/package.json': manifest('@forge/cli', ['@forge/core']),
};

test('lets a package import one below it, its own files and libraries', () => {
  const files = {
    ...packages,
    'packages/cli/src/a.ts': [
      "import { run } from '@forge/core';",
      "import { b } from './deep/../b.ts';",
      "import 'commander';",
      "import '@forge/cli';",
    ].join('\n'),
  };
  assert.deepEqual(withRepository(files, checkDependencyDirection), []);
});

const upward: readonly (readonly [string, string])[] = [
  ['an import', "import { main } from '@forge/cli';"],
  ['an import of types only', "import type { Main } from '@forge/cli';"],
  ['an import of a subpath', "import { x } from '@forge/cli/testing';"],
  ['an import for its effects', "import '@forge/cli';"],
  ['an export', "export { main } from '@forge/cli';"],
  ['an export of everything', "export * from '@forge/cli';"],
  ['an import at run time', "const m = await import('@forge/cli');"],
  ['an import at run time by template', 'const m = await import(`@forge/cli`);'],
  ['a type taken in place', "type M = import('@forge/cli').Main;"],
  ['an import of a package that is not there yet', "import { serve } from '@forge/server';"],
];

for (const [what, line] of upward) {
  test(`refuses upward: ${what}`, () => {
    const files = { ...packages, 'packages/core/src/kernel/x.ts': `// first line\n${line}\n` };
    const [violation, ...others] = withRepository(files, checkDependencyDirection);
    assert.deepEqual(others, []);
    assert.ok(violation);
    assert.match(
      formatViolation(violation),
      /^packages\/core\/src\/kernel\/x\.ts:2 {2}@forge\/core imports @forge\/(cli|server), which is not below it\.\n {4}fix: .+may import no other package/,
    );
  });
}

test('does not take text that only looks like an import for one', () => {
  const lines = [
    "// import { main } from '@forge/cli';",
    'const text = "import { main } from \'@forge/cli\'";',
    "const pattern = /import\\('@forge\\/cli'\\)/;",
  ];
  const files = { ...packages, 'packages/core/src/x.ts': lines.join('\n') };
  assert.deepEqual(withRepository(files, checkDependencyDirection), []);
});

test('refuses a relative path into another package, even downward', () => {
  const files = {
    ...packages,
    'packages/cli/src/a.ts': "import { run } from '../../core/src/run/run.ts';",
  };
  const [violation] = withRepository(files, checkDependencyDirection);
  assert.equal(violation?.file, 'packages/cli/src/a.ts');
  assert.match(violation?.problem ?? '', /reaches out of its package to @forge\/core/);
  assert.match(violation?.fix ?? '', /by its name/);
});

test('refuses a relative path out of the packages', () => {
  const files = { ...packages, 'packages/cli/src/a.ts': "import '../../../scripts/pack.ts';" };
  const [violation] = withRepository(files, checkDependencyDirection);
  assert.match(violation?.problem ?? '', /to scripts\/pack\.ts by a relative path/);
});

test('refuses a package that has no place in the order', () => {
  const files = { 'packages/extra/package.json': manifest('@forge/extra') };
  const [violation] = withRepository(files, checkDependencyDirection);
  assert.equal(violation?.file, 'packages/extra/package.json');
  assert.match(violation?.fix ?? '', /layers\.ts/);
});

test('the table of packages is in order: each imports only those listed before it', () => {
  const before = new Set<string>();
  for (const [name, below] of Object.entries(layers)) {
    const notBefore = below.filter((other) => !before.has(other));
    assert.deepEqual(notBefore, [], name);
    before.add(name);
  }
  assert.equal(before.size, 15);
});

test('finds the package in a specifier', () => {
  assert.equal(packageNameOf('@forge/core/testing'), '@forge/core');
  assert.equal(packageNameOf('zod/v4'), 'zod');
  assert.equal(packageNameOf('zod'), 'zod');
});
