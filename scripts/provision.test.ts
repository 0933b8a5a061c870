import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withRepository } from './checks/planted-repository.ts';

const script = readFileSync(new URL('./provision.sh', import.meta.url), 'utf8');
const fakeNode = (version: string) => `#!/bin/sh\necho v${version}\n`;

/** Runs the script in a planted checkout with an npm that only says what it was asked for. */
function provision(files: Record<string, string>, npm = 'echo "npm $*"') {
  const planted = { 'scripts/provision.sh': script, 'bin/npm': `#!/bin/sh\n${npm}\n`, ...files };
  return withRepository(planted, (root) => {
    for (const path of Object.keys(planted)) chmodSync(join(root, path), 0o755);
    const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin` };
    return spawnSync('sh', [join(root, 'scripts', 'provision.sh')], { env, encoding: 'utf8' });
  });
}

test('says so and does nothing when all is there', () => {
  const { status, stdout } = provision({ 'node_modules/.bin/node': fakeNode('24.1.0') });
  assert.equal(status, 0);
  assert.equal(stdout, 'provision: v24.1.0 and the npm packages are in place\n');
});

test('installs the packages where there are none', () => {
  const npm = `echo "npm $*"; mkdir -p node_modules/.bin; printf '#!/bin/sh\\necho v24.0.0\\n' > node_modules/.bin/node; chmod +x node_modules/.bin/node`;
  const { status, stdout } = provision({}, npm);
  assert.equal(status, 0);
  assert.match(stdout, /^npm ci$/m);
  assert.match(stdout, /in place/);
});

test('fetches Node where it was left out or is too old, and fails clearly if it cannot', () => {
  const checkouts: Record<string, string>[] = [
    { 'node_modules/x': '' },
    { 'node_modules/.bin/node': fakeNode('20.9.0') },
  ];
  for (const files of checkouts) {
    const { status, stdout, stderr } = provision(files);
    assert.equal(status, 1);
    assert.match(stdout, /^npm rebuild node$/m);
    assert.match(stderr, /Node 24 is needed.+\n.+npm ci/);
  }
});
