import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeError, type JsonObject } from '@forge/core';
import { startDocker, type TestDocker } from '@forge/sandbox/testing';
import { freePort } from '../keeper/free-port.ts';
import { canRun } from '../process/find-program.ts';
import type { Target, TargetContext } from '../target.ts';
import { buildNodeImage } from '../testing/build-node-image.ts';
import { removeImages } from '../testing/remove-images.ts';
import { type Behaviour, writeService } from '../testing/service.ts';
import type { DockerConfig } from './docker-config.ts';
import { createDockerTarget } from './docker-target.ts';

describe('the docker target', { timeout: 600_000 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'forge-docker-target-'));
  // Of this run only: the daemon may have what a killed one left.
  const mark = randomBytes(4).toString('hex');
  let testDocker: TestDocker;
  let target: Target<DockerConfig>;
  let image: string;
  let count = 0;

  before(async () => {
    testDocker = await startDocker();
    target = createDockerTarget({ socketPath: testDocker.socketPath });
    image = await buildNodeImage(testDocker.docker);
  });
  after(async () => {
    await removeImages(testDocker.docker, '*/docker-project-*');
    await removeImages(testDocker.docker, '*/team/docker-project-*');
    testDocker.stop();
    rmSync(root, { recursive: true, force: true });
  });

  function project(test: TestContext, more: JsonObject = {}) {
    count += 1;
    const told: string[] = [];
    const context: TargetContext<DockerConfig> = {
      project: `Docker Project ${mark} ${count}`,
      folder: join(root, `state-${count}`),
      config: target.config.parse({
        ...{ container_port: 3000, memory_mb: 64, stop_grace_s: 1 },
        health: { path: '/health', interval_ms: 20, timeout_s: 60 },
        ...more,
      }),
      signal: test.signal,
      tell: (line) => told.push(line),
    };
    test.after(async () => {
      await target.stop({ ...context, signal: new AbortController().signal });
    });
    const release = async (
      version: string,
      {
        dockerfile = `FROM ${image}\nCOPY . /app\nCMD ["node", "/app/server.mjs"]\n`,
        behaviour,
      }: { dockerfile?: string; behaviour?: Behaviour } = {},
    ) => {
      const source = writeService(join(root, `trees-${count}`), version, {
        files: { Dockerfile: dockerfile },
        ...(behaviour !== undefined && { behaviour }),
      });
      const built = await target.build(context, source, { id: version });
      return { built, live: await target.deploy(context, built, { id: version }) };
    };
    return { context, release, told };
  }

  const containersOf = async (name: string) =>
    await testDocker.docker.listContainers({
      all: true,
      filters: { label: [`forge.project=${name}`] },
    });

  it('runs the digest with limits and few rights, and Docker starts it again', async (test) => {
    const { context, release } = project(test);
    const { built } = await release('v1');
    const [about] = await containersOf(context.project);
    const { Image, HostConfig, Config } = await testDocker.docker
      .getContainer(about?.Id ?? '')
      .inspect();
    assert.equal(Image, built.digest);
    assert.equal(Config.Image, built.digest, 'by its digest, not by a tag');
    assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges']);
    assert.equal(HostConfig.Memory, 64 * 1024 * 1024);
    assert.equal(HostConfig.RestartPolicy?.Name, 'unless-stopped');
    assert.deepEqual(Object.values(HostConfig.PortBindings ?? {}).flat().length, 1);
    assert.equal(Config.Labels['forge.release'], 'v1');
  });

  it('keeps two containers at most, and the images it is told to', async (test) => {
    const { context, release } = project(test, { keep: 2 });
    for (const version of ['v1', 'v2', 'v3']) await release(version);
    const releases = (await containersOf(context.project)).map(
      ({ Labels }) => Labels['forge.release'],
    );
    assert.deepEqual(releases.sort(), ['v2', 'v3']);
    const images = await testDocker.docker.listImages({
      filters: { label: [`forge.project=${context.project}`] },
    });
    assert.deepEqual(
      images
        .flatMap(({ RepoTags }) => RepoTags ?? [])
        .map((tag) => tag.split(':')[1])
        .sort(),
      ['v2', 'v3'],
    );
  });

  it('leaves alone what others made on top of a release', async (test) => {
    const { context, release } = project(test, { keep: 1 });
    const { built } = await release('v1');
    const own = 'forge/test-on-top:1';
    const stream = await testDocker.docker.buildImage(
      pack(root, { Dockerfile: `FROM ${built.digest}\nENV MINE=1\n` }),
      { t: own },
    );
    test.after(() => removeImages(testDocker.docker, 'forge/test-on-top'));
    await new Promise((resolve) => testDocker.docker.modem.followProgress(stream, resolve));
    await release('v2');
    await release('v3');
    assert.ok(await testDocker.docker.getImage(own).inspect());
    assert.equal((await target.healthCheck(context)).healthy, true);
  });

  it('says which image is gone instead of going back to another', async (test) => {
    const { context, release } = project(test, { keep: 1 });
    const { built } = await release('v1');
    await release('v2');
    await release('v3');
    await assert.rejects(target.rollback(context, { id: 'v1', built }), (error) => {
      assert.ok(ForgeError.is(error, 'deploy_failed'));
      assert.match(error.message, /is not here any more.*keep is 1/);
      return true;
    });
  });

  it('says that the history names no image, and runs nothing else', async (test) => {
    const { context } = project(test);
    for (const image of ['somebody/else:latest', 7]) {
      const built = { digest: 'sha256:1', detail: { release: 'v1', image, repository: 'x' } };
      await assert.rejects(target.rollback(context, { id: 'v1', built }), /names no image/);
    }
  });

  it('tells the lines of a build that fails', async (test) => {
    const { release } = project(test);
    const dockerfile = `FROM ${image}\nRUN echo the compiler is unhappy; exit 3\n`;
    await assert.rejects(release('v1', { dockerfile }), (error) => {
      assert.ok(ForgeError.is(error, 'deploy_failed'));
      assert.match(error.message, /The build failed[\s\S]*the compiler is unhappy/);
      return true;
    });
  });

  for (const [builder, flag] of [
    ['of old', ''],
    ['BuildKit', '--mount=type=tmpfs,target=/scratch '],
  ]) {
    it(`ends a build that hangs, with the builder ${builder}`, async (test) => {
      const { release } = project(test, { build_timeout_s: 4 });
      const mark = randomBytes(6).toString('hex');
      const dockerfile = `FROM ${image}\nRUN ${flag}sleep 600 # ${mark}\n`;
      await assert.rejects(release('v1', { dockerfile }), /did not build the image within 4 s/);
      while (hasProcess(mark)) await sleep(50);
    });
  }

  it('builds a Dockerfile that needs BuildKit', async (test) => {
    const { release, told } = project(test);
    const dockerfile = `FROM ${image}\nCOPY . /app\nRUN --mount=type=tmpfs,target=/scratch echo made by buildkit\nCMD ["node", "/app/server.mjs"]\n`;
    const { live } = await release('v1', { dockerfile });
    assert.equal(await (await fetch(live.url ?? '')).text(), 'v1');
    assert.ok(
      told.some((line) => line.includes('made by buildkit')),
      told.join('\n'),
    );
  });

  it('names a daemon that is not there and a Dockerfile that is missing', async (test) => {
    const { context } = project(test);
    const nowhere = createDockerTarget({ socketPath: join(root, 'no.sock') });
    const source = { path: root, commit: '0'.repeat(40) };
    const problems = await nowhere.validate(context, source);
    assert.deepEqual(
      problems.map(({ problem }) => problem.replace(/ \(.*/, '')),
      ['There is no Dockerfile in the tree.', 'The Docker daemon does not answer'],
    );
  });

  it('pushes to a registry, records the digest, and gets a lost image back by it', async (test) => {
    if (!canRun('docker-registry', { cwd: '/', path: '/usr/bin:/usr/local/bin' })) {
      test.skip('docker-registry is not installed');
      return;
    }
    const port = await startRegistry(test, root);
    const registry = `127.0.0.1:${port}`;
    const { context, release } = project(test, { registry, image_prefix: 'team', keep: 1 });
    const { built } = await release('v1');
    const repository = String(built.detail.repository);
    assert.match(repository, new RegExp(`^${registry}/team/docker-project-`));
    assert.equal(built.digest, built.detail.pushed);
    const tags = await fetch(
      `http://${registry}/v2/${repository.slice(registry.length + 1)}/tags/list`,
    );
    assert.deepEqual(((await tags.json()) as { tags: string[] }).tags, ['v1']);
    await release('v2');
    await release('v3'); // Nothing of v1 is kept here now.
    const { url, digest } = await target.rollback(context, { id: 'v1', built });
    assert.equal(digest, built.digest);
    assert.equal(await (await fetch(url ?? '')).text(), 'v1');
  });
});

/** An archive with these files. */
function pack(root: string, files: Readonly<Record<string, string>>): Readable {
  const folder = mkdtempSync(join(root, 'packed-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return spawn('tar', ['-C', folder, '-cf', '-', '.']).stdout;
}

async function startRegistry(test: TestContext, root: string): Promise<number> {
  const port = await freePort();
  const config = join(root, 'registry.yml');
  writeFileSync(
    config,
    `version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: ${join(root, 'registry')}\nhttp:\n  addr: 127.0.0.1:${port}\n`,
  );
  const registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  test.after(async () => {
    registry.kill('SIGKILL');
    if (registry.exitCode === null && registry.signalCode === null) await once(registry, 'exit');
  });
  for (let tries = 0; tries < 1_200; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => undefined);
    if (answer?.ok) return port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the registry did not start');
}

/** Whether a process of this machine has it in its command line, in a container or not. */
function hasProcess(mark: string): boolean {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`# ${mark}`);
    } catch {
      return false; // It has ended.
    }
  });
}
