import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { manifest, withRepository } from './planted-repository.ts';

const script = fileURLToPath(new URL('./run.ts', import.meta.url));

const sound = {
  'package-lock.json': '{}',
  'packages/core/package.json': manifest('@forge/core'),
  'packages/core/README.md': 'The kernel.\n\n```ts\n1;\n```\n',
  'packages/core/src/index.ts': 'export const one = 1;\n',
};

const check = (root: string) => spawnSync(process.execPath, [script, root], { encoding: 'utf8' });

test('ends with 0 on a sound repository', () => {
  const { status, stderr } = withRepository(sound, check);
  assert.deepEqual([status, stderr], [0, '']);
});

test('ends with 1 on a planted violation, and says where and what to do', () => {
  const planted = { ...sound, 'packages/core/src/up.ts': "\nimport '@forge/cli';\n" };
  const { status, stdout, stderr } = withRepository(planted, check);
  assert.equal(status, 1);
  assert.match(stdout, /^FAIL {2}packages import downward only$/m);
  assert.match(stderr, /^packages\/core\/src\/up\.ts:2 .+\n {4}fix: /m);
});
