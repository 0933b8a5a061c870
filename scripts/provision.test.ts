import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withRepository } from './checks/planted-repository.ts';

const script = readFileSync(new URL('./provision.sh', import.meta.url), 'utf8');
const fakeNode = (version: string) => `#!/bin/sh\necho v${version}\n`;

/** What npm writes when it is done. */
const installed = { 'node_modules/.package-lock.json': '{}' };
const fakePostgres = { 'system/usr/lib/postgresql/15/bin/postgres': '#!/bin/sh\n' };
const fakeRedis = { 'system/usr/bin/redis-server': '#!/bin/sh\n' };
const fakeTools = {
  'system/usr/sbin/dockerd': '#!/bin/sh\n',
  'system/usr/bin/bwrap': '#!/bin/sh\n',
  'system/usr/bin/rg': '#!/bin/sh\n',
  'system/usr/sbin/debootstrap': '#!/bin/sh\n',
  'system/usr/bin/docker-registry': '#!/bin/sh\n',
  'system/usr/bin/openssl': '#!/bin/sh\n',
};

/** Runs the script in a planted checkout with an npm that only says what it was asked for. */
function provision(
  files: Record<string, string>,
  npm = 'echo "npm $*"',
  servers: Record<string, string> = { ...fakePostgres, ...fakeRedis, ...fakeTools },
) {
  const planted = {
    'scripts/provision.sh': script,
    'bin/npm': `#!/bin/sh\n${npm}\n`,
    ...servers,
    ...files,
  };
  return withRepository(planted, (root) => {
    for (const path of Object.keys(planted)) chmodSync(join(root, path), 0o755);
    const env = {
      PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
      PROVISION_SYSTEM: join(root, 'system'),
    };
    return spawnSync('sh', [join(root, 'scripts', 'provision.sh')], { env, encoding: 'utf8' });
  });
}

test('says so and does nothing when all is there', () => {
  const { status, stdout } = provision({
    ...installed,
    'node_modules/.bin/node': fakeNode('24.1.0'),
  });
  assert.equal(status, 0);
  assert.equal(stdout, 'provision: v24.1.0 and the npm packages are in place\n');
});

test('installs the packages where there are none, or only some', () => {
  const npm = `echo "npm $*"; mkdir -p node_modules/.bin; printf '#!/bin/sh\\necho v24.0.0\\n' > node_modules/.bin/node; chmod +x node_modules/.bin/node`;
  const checkouts: Record<string, string>[] = [
    {},
    { 'node_modules/.bin/node': fakeNode('24.1.0') },
  ];
  for (const files of checkouts) {
    const { status, stdout } = provision(files, npm);
    assert.equal(status, 0);
    assert.match(stdout, /^npm ci$/m);
    assert.match(stdout, /in place/);
  }
});

test('fetches Node where it was left out or is too old, and fails clearly if it cannot', () => {
  const checkouts: Record<string, string>[] = [
    installed,
    { ...installed, 'node_modules/.bin/node': fakeNode('20.9.0') },
  ];
  for (const files of checkouts) {
    const { status, stdout, stderr } = provision(files);
    assert.equal(status, 1);
    assert.match(stdout, /^npm rebuild node$/m);
    assert.match(stderr, /Node 24 is needed.+\n.+npm ci/);
  }
});

/** As root; and an apt-get that notes what it was asked for and then does `more`. */
const asRoot = (more: string) => ({
  ...installed,
  'node_modules/.bin/node': fakeNode('24.1.0'),
  'bin/id': '#!/bin/sh\necho 0\n',
  'bin/apt-get': `#!/bin/sh\necho "apt-get $*" >&2\n${more}\n`,
});

test('installs PostgreSQL as root where there is none, without starting one', () => {
  const server = 'system/usr/lib/postgresql/15/bin';
  const settings = 'system/etc/postgresql-common/createcluster.conf';
  const install = `case "$*" in *postgresql-15) cat ${settings} >&2; mkdir -p ${server}; cp bin/id ${server}/postgres ;; esac`;
  const files = { ...asRoot(install), [settings]: '#create_main_cluster = true\n' };
  const { status, stdout, stderr } = provision(files, undefined, { ...fakeRedis, ...fakeTools });
  assert.equal(status, 0);
  assert.match(stdout, /installing PostgreSQL/);
  assert.match(
    stderr,
    /install .+ postgresql-common\n.+ postgresql-15\ncreate_main_cluster = false\n$/,
  );
});

test('says what to do where PostgreSQL cannot be installed, and goes on', () => {
  const machines = [asRoot('exit 1'), { ...asRoot('exit 1'), 'bin/id': '#!/bin/sh\necho 1000\n' }];
  for (const files of machines) {
    const { status, stdout, stderr } = provision(files, undefined, { ...fakeRedis, ...fakeTools });
    assert.equal(status, 0);
    assert.match(stdout, /in place/);
    assert.match(stderr, /no PostgreSQL server.+\n.+apt-get install postgresql-15/);
  }
});

test('installs Redis as root where there is none, without starting one', () => {
  const policy = 'system/usr/sbin/policy-rc.d';
  const install = `sh ${policy}; echo "policy $?" >&2; cp bin/id system/usr/bin/redis-server`;
  const files = {
    ...asRoot(install),
    'system/usr/bin/x': '',
    'system/usr/sbin/x': '',
  };
  const { status, stdout, stderr } = provision(files, undefined, { ...fakePostgres, ...fakeTools });
  assert.equal(status, 0);
  assert.match(stdout, /installing Redis/);
  assert.match(stderr, /install .+ redis-server\npolicy 101\n$/);
});

test('says what to do where Redis cannot be installed, and goes on', () => {
  const machines = [asRoot('exit 1'), { ...asRoot('exit 1'), 'bin/id': '#!/bin/sh\necho 1000\n' }];
  for (const files of machines) {
    const { status, stdout, stderr } = provision(files, undefined, {
      ...fakePostgres,
      ...fakeTools,
    });
    assert.equal(status, 0);
    assert.match(stdout, /in place/);
    assert.match(stderr, /no Redis server.+\n.+apt-get install redis-server/);
  }
});

test('installs what sandboxes need as root where it is missing, without starting Docker', () => {
  const policy = 'system/usr/sbin/policy-rc.d';
  const install = `sh ${policy}; echo "policy $?" >&2
    for tool in dockerd bwrap debootstrap docker-registry openssl; do cp bin/id system/usr/sbin/$tool; done`;
  const files = { ...asRoot(install), 'system/usr/sbin/x': '', 'system/usr/bin/rg': '' };
  const { status, stdout, stderr } = provision(files, undefined, { ...fakePostgres, ...fakeRedis });
  assert.equal(status, 0);
  assert.match(stdout, /installing what sandboxes need .+docker\.io bubblewrap debootstrap/);
  assert.match(stderr, /install .+ docker\.io bubblewrap debootstrap .*iptables .+\npolicy 101\n$/);
});

test('says what to do where they cannot be installed, and goes on', () => {
  const machines = [asRoot('exit 1'), { ...asRoot('exit 1'), 'bin/id': '#!/bin/sh\necho 1000\n' }];
  for (const files of machines) {
    const { status, stdout, stderr } = provision(files, undefined, {
      ...fakePostgres,
      ...fakeRedis,
    });
    assert.equal(status, 0);
    assert.match(stdout, /in place/);
    assert.match(stderr, /tests of sandboxes .+\n.+apt-get install docker\.io bubblewrap ripgrep/);
  }
});
