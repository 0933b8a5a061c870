import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import type { Sandbox, SandboxBackend } from '../sandbox.ts';
import { startDocker, type TestDocker } from '../testing/start-docker.ts';
import { createDockerBackend } from './create-docker-backend.ts';

let test: TestDocker;
let backend: SandboxBackend;
let sandbox: Sandbox;
before(async () => {
  test = await startDocker();
  backend = createDockerBackend({ socketPath: test.socketPath, image: await test.testImage() });
  sandbox = await backend.start({ labels: { run: 'r1' } });
});
after(async () => {
  await backend?.close();
  test?.stop();
});

const run = async (argv: readonly [string, ...string[]], on = sandbox) => {
  const { stdout, stderr, ...result } = await on.exec({ argv }).result;
  return { ...result, out: `${Buffer.from(stdout)}`, err: `${Buffer.from(stderr)}` };
};
const sh = async (script: string, on = sandbox) => (await run(['sh', '-c', script], on)).out;

async function containerOf({ id }: Sandbox) {
  const filters = { label: [`forge.sandbox=${id}`] };
  const [found] = await test.docker.listContainers({ all: true, filters });
  assert.ok(found);
  return test.docker.getContainer(found.Id);
}

describe('a container', () => {
  it('is hardened in every way Docker has', async () => {
    const { HostConfig, Config } = await (await containerOf(sandbox)).inspect();
    assert.equal(HostConfig.Privileged, false);
    assert.deepEqual(HostConfig.CapDrop, ['ALL']);
    assert.equal(HostConfig.ReadonlyRootfs, true);
    assert.equal(HostConfig.NetworkMode, 'none');
    assert.equal(HostConfig.Init, true);
    assert.equal(HostConfig.AutoRemove, true);
    assert.equal(HostConfig.Memory, sandbox.limits.memoryBytes);
    assert.equal(HostConfig.MemorySwap, sandbox.limits.memoryBytes);
    assert.equal(HostConfig.PidsLimit, sandbox.limits.pids);
    assert.equal(HostConfig.NanoCpus, sandbox.limits.cpus * 1e9);
    assert.equal(HostConfig.LogConfig?.Type, 'none');
    assert.equal(HostConfig.Binds ?? null, null);
    assert.ok(HostConfig.SecurityOpt?.includes('no-new-privileges'));
    assert.notEqual(Config.User.split(':')[0], '0');
  });

  it('has neither the volumes nor the health check of its image', async () => {
    const made = await test.docker.createContainer({
      Image: await test.testImage(),
      Cmd: ['true'],
    });
    const image = `forge/volumes:${process.pid}`;
    const [repo, tag] = image.split(':');
    const changes = ['VOLUME /data', 'HEALTHCHECK CMD true'];
    await made.commit({ repo, tag, changes });
    await made.remove();
    const own = await backend.start({ image, limits: { diskBytes: 1_000_000 } });
    try {
      const { Mounts, State } = await (await containerOf(own)).inspect();
      assert.deepEqual(Mounts, []);
      assert.equal(State.Health, undefined);
      const { err } = await run(
        ['sh', '-c', 'for i in 1 2; do head -c 900000 /dev/zero >/data/$i; done'],
        own,
      );
      assert.match(err, /No space left/);
    } finally {
      await own.stop();
      await test.docker.getImage(image).remove();
    }
  });

  it('cannot be ended from inside', async () => {
    await run(['sh', '-c', 'kill -9 1; kill -9 -1']);
    assert.equal(await sh('echo alive'), 'alive\n');
    assert.equal(sandbox.state(), 'running');
  });

  it('is listed with its labels', async () => {
    const found = (await backend.list()).find(({ id }) => id === sandbox.id);
    assert.deepEqual(found?.labels, { run: 'r1' });
    assert.equal(found?.state, 'running');
  });

  it('that is removed from outside has failed, and its commands with it', async () => {
    const own = await backend.start();
    const command = own.exec({ argv: ['sleep', '600'] });
    await (await containerOf(own)).remove({ force: true });
    assert.equal((await command.result).end.type, 'sandbox_ended');
    while (own.state() === 'running') await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(own.state(), 'failed');
    assert.throws(
      () => own.exec({ argv: ['true'] }),
      (error) => ForgeError.is(error, 'not_running'),
    );
    await own.stop();
  });

  it('tells what it uses', async () => {
    await sh('head -c 3000000 /dev/zero > used');
    const stats = await sandbox.stats();
    assert.ok((stats.cpuMs ?? 0) > 0);
    assert.ok((stats.memoryBytes ?? 0) > 0);
    assert.ok((stats.pids ?? 0) > 0);
    assert.ok((stats.diskBytes ?? 0) >= 3_000_000);
    await sh('rm used');
  });
});

describe('a start that fails', () => {
  it('names a missing image and how to get it', async () => {
    const other = createDockerBackend({ socketPath: test.socketPath, image: 'forge/missing:1' });
    await assert.rejects(
      other.start(),
      (error) =>
        ForgeError.is(error, 'sandbox_failed') &&
        /no image forge\/missing:1.+forge sandbox build/.test(error.message),
    );
    const probe = await other.probe();
    assert.ok(!probe.available && /forge sandbox build/.test(probe.fix));
  });

  it('says that the daemon is not there, after as many tries as it was told', async () => {
    const nowhere = createDockerBackend({ socketPath: '/no/such.sock', attempts: 2, retryMs: 1 });
    await assert.rejects(nowhere.start(), /does not answer.+Start it/);
    const probe = await nowhere.probe();
    assert.ok(!probe.available && /does not answer/.test(probe.problem));
  });

  it('leaves nothing behind where the image has no shell', async () => {
    const { docker } = test;
    const before = (
      await docker.listContainers({ all: true, filters: { label: ['forge.label.broken'] } })
    ).length;
    const other = createDockerBackend({
      socketPath: test.socketPath,
      attempts: 1,
      runtime: 'no-such-runtime',
    });
    await assert.rejects(
      other.start({ image: await test.testImage(), labels: { broken: 'yes' } }),
      (error) => ForgeError.is(error, 'sandbox_failed'),
    );
    const after = (
      await docker.listContainers({ all: true, filters: { label: ['forge.label.broken'] } })
    ).length;
    assert.equal(after, before);
  });
});

describe('a cache', () => {
  it('outlives the sandbox, and tools know where it is', async () => {
    const name = `test-${process.pid}`;
    try {
      const first = await backend.start({ caches: [name, 'npm'] });
      assert.equal(
        await sh(`echo kept > /cache/${name}/file; echo $npm_config_cache`, first),
        '/cache/npm\n',
      );
      await first.stop();
      // Those that made the caches ready would be found again, had we died meanwhile.
      const filters = { label: [`forge.sandbox=${first.id}`], event: ['create'] };
      const until = Math.ceil(Date.now() / 1000);
      const events = await test.docker.getEvents({ since: until - 600, until, filters });
      assert.ok((await text(events)).trim().split('\n').length >= 2);
      const second = await backend.start({ caches: [name] });
      assert.equal(await sh(`cat /cache/${name}/file`, second), 'kept\n');
      await second.stop();
    } finally {
      await test.docker.getVolume(`forge-cache-${name}`).remove({ force: true });
    }
    await assert.rejects(backend.start({ caches: ['../x'] }), (error) =>
      ForgeError.is(error, 'invalid_options'),
    );
  });
});

describe('a list of allowed hosts', () => {
  const web = createServer((incoming, response) => response.end(`you asked for ${incoming.url}`));
  let own: Sandbox;
  let port = 0;
  before(async () => {
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    const address = web.address();
    assert.ok(typeof address === 'object' && address !== null);
    port = address.port;
    own = await backend.start({ network: { type: 'allow', hosts: [`127.0.0.1:${port}`] } });
  });
  after(() => void web.close());

  /** Speaks HTTP with what bash has. */
  const ask = (to: string, at = '127.0.0.1/3128') =>
    `exec 3<>/dev/tcp/${at} && printf 'GET ${to} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3`;

  it('lets through what is on it, and nothing else', async () => {
    const allowed = await run(['bash', '-c', ask(`http://127.0.0.1:${port}/yes`)], own);
    assert.match(allowed.out, /200 OK[\s\S]+you asked for \/yes/);
    const refused = await run(['bash', '-c', ask('http://example.org/')], own);
    assert.match(refused.out, /403 Forbidden[\s\S]+example\.org:80 is not among/);
    for (const at of [`127.0.0.1/${port}`, '169.254.169.254/80', '172.17.0.1/22', '1.1.1.1/53']) {
      assert.notEqual((await run(['bash', '-c', ask('/', at)], own)).exitCode, 0, at);
    }
    assert.equal((await own.stats()).network !== undefined, true);
  });

  it('is told to programs by the usual variables', async () => {
    assert.equal(await sh('echo $HTTPS_PROXY', own), 'http://127.0.0.1:3128\n');
  });

  it('refuses a host that is none before anything is started', async () => {
    await assert.rejects(
      backend.start({ network: { type: 'allow', hosts: ['http://x'] } }),
      (error) => ForgeError.is(error, 'invalid_options'),
    );
  });
});
