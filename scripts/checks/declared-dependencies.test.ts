import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDeclaredDependencies } from './declared-dependencies.ts';
import { manifest, withRepository } from './planted-repository.ts';

test('lets a package import what it declares, itself, Node and its own files', () => {
  const files = {
    'packages/cli/package.json': manifest('@forge/cli', ['commander', '@forge/core']),
    'packages/cli/src/a.ts': [
      "import { Command } from 'commander';",
      "import { run } from '@forge/core/testing';",
      "import { join } from 'node:path';",
      "import { b } from './b.ts';",
      "import '@forge/cli';",
    ].join('\n'),
  };
  assert.deepEqual(withRepository(files, checkDeclaredDependencies), []);
});

test('refuses a library that is only there by luck', () => {
  const files = {
    'packages/cli/package.json': manifest('@forge/cli', ['commander']),
    'packages/cli/src/a.ts': "\n\nimport type * as z from 'zod/v4';",
  };
  const [violation] = withRepository(files, checkDeclaredDependencies);
  assert.deepEqual([violation?.file, violation?.line], ['packages/cli/src/a.ts', 3]);
  assert.match(violation?.problem ?? '', /imports zod, which its package\.json does not declare/);
  assert.match(violation?.fix ?? '', /npm install zod -w @forge\/cli/);
});

test('lets a test use development tools', () => {
  const files = {
    'packages/cli/package.json': manifest('@forge/cli'),
    'packages/cli/src/a.test.ts': "import fc from 'fast-check';",
  };
  assert.deepEqual(withRepository(files, checkDeclaredDependencies), []);
});
