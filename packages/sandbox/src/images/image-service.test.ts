import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { eventually } from '../conformance/kit.ts';
import { tarBytes } from '../conformance/tar-bytes.ts';
import { startDocker } from '../testing/start-docker.ts';
import { buildRecipe } from './build-image.ts';
import { createImageService } from './create-image-service.ts';
import type { BuildEvent, BuildRequest } from './image-service.ts';

const mark = `forge-test-${randomBytes(4).toString('hex')}`;
const testDocker = await startDocker();
const { docker, socketPath } = testDocker;
const image = await testDocker.testImage();
const service = createImageService({ socketPath });

after(async () => {
  for (const { RepoTags: tags } of await docker.listImages()) {
    for (const tag of tags ?? []) {
      if (tag.includes(mark)) await docker.getImage(tag).remove({ force: true });
    }
  }
  testDocker.stop();
});

interface Asked extends Partial<Omit<BuildRequest, 'context'>> {
  readonly dockerfile?: string;
  readonly text: string;
}

/** Builds from a Dockerfile and one file. */
function build({ text, dockerfile = 'Dockerfile', ...more }: Asked): AsyncIterable<BuildEvent> {
  const context = tarBytes([
    { name: dockerfile, content: text },
    { name: 'file', content: `hello from ${mark}\n` },
  ]);
  return service.build({
    ...{ context: Readable.from([context]), dockerfile, tag: `${mark}/app:1`, buildArgs: {} },
    ...{ network: false, owner: 'ann', signal: new AbortController().signal },
    ...more,
  });
}

async function eventsOf<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const over = `FROM ${image}\nCOPY file /file\n`;
const isCode = (code: Parameters<typeof ForgeError.is>[1]) => (error: unknown) =>
  ForgeError.is(error, code);

describe('images of others', () => {
  it('builds from a context, and says what happens', async () => {
    const events = await eventsOf(build({ text: `${over}RUN cat /file` }));
    assert.ok(events.some((event) => 'line' in event && event.line.includes('hello from')));
    const last = events.at(-1);
    assert.ok(last !== undefined && 'built' in last);
    assert.equal(last.built.tag, `${mark}/app:1`);
    const { Id } = await docker.getImage(`${mark}/app:1`).inspect();
    assert.equal(Id, last.built.imageId);
  });

  it('gives builds no network', async () => {
    const text = `${over}RUN cat /proc/net/route /proc/net/dev\n`;
    const events = await eventsOf(build({ text, tag: `${mark}/net:1` }));
    const lines = events.flatMap((event) => ('line' in event ? [event.line] : [])).join('\n');
    assert.doesNotMatch(lines, /eth0/);
  });

  it('says why a build failed', async () => {
    const text = `${over}RUN false\n`;
    await assert.rejects(eventsOf(build({ text, tag: `${mark}/bad:1` })), isCode('sandbox_failed'));
  });

  it('refuses what could reach further than a build may', async () => {
    await assert.rejects(
      eventsOf(build({ text: '# syntax=evil\nFROM scratch\n' })),
      isCode('not_allowed'),
    );
    await assert.rejects(
      eventsOf(build({ text: 'FROM no-such-image-here\n' })),
      isCode('not_found'),
    );
    await assert.rejects(
      eventsOf(build({ text: `${over}`, tag: 'forge/base:latest' })),
      isCode('not_allowed'),
    );
    await assert.rejects(eventsOf(build({ text: over, tag: '--bad' })), isCode('invalid_options'));
    await assert.rejects(
      eventsOf(build({ text: over, owner: 'bob', tag: `${mark}/app:1` })),
      isCode('already_exists'),
    );
  });

  it('keeps images from all but their owner', async () => {
    const tag = `${mark}/secret:1`;
    const events = await eventsOf(build({ text: `${over}RUN echo kept > /kept\n`, tag }));
    const lines = events.flatMap((event) => ('line' in event ? [event.line] : []));
    const steps = lines.flatMap((line) => /---> ([0-9a-f]{12})$/.exec(line.trim())?.[1] ?? []);
    assert.ok(steps.length > 1);
    const { Id: id } = await docker.getImage(tag).inspect();
    for (const network of [false, true]) {
      for (const from of [tag, id, id.slice('sha256:'.length, 20), ...steps.slice(1)]) {
        const texts = [`FROM ${from}\n`, `FROM ${image}\nCOPY --from=${from} /kept /kept\n`];
        for (const text of texts) {
          const theirs = build({ text, network, owner: 'bob', tag: `${mark}/bobs:1` });
          await assert.rejects(eventsOf(theirs), isCode('not_found'), from);
        }
      }
    }
    await assert.rejects(service.find(tag, 'bob'), isCode('not_found'));
    assert.equal(await service.find(tag, 'ann'), id);
    assert.match(await service.find(image, 'bob'), /^sha256:/);
    const own = await eventsOf(
      build({ text: `FROM ${tag}\nRUN cat /kept\n`, tag: `${mark}/own:1` }),
    );
    assert.ok(own.some((event) => 'line' in event && event.line === 'kept'));
  });

  it('keeps an image from a file that names it by way of a stage', async () => {
    const name = `${mark}hidden`;
    await eventsOf(build({ text: `${over}RUN echo kept > /kept\n`, tag: name }));
    const bobs = { owner: 'bob', tag: `${mark}/bobs:2` };
    const itself = `FROM ${image} AS ${name}\nCOPY --from=${name} /kept /kept\n`;
    await assert.rejects(eventsOf(build({ ...bobs, text: itself })), isCode('not_found'));
    const later = `FROM ${image} AS ${name}\nFROM ${image}\nONBUILD COPY --from=${name} /kept /kept\n`;
    await assert.rejects(eventsOf(build({ ...bobs, text: later })), isCode('not_allowed'));
  });

  it('takes over the steps of an image that is built again, and none of others', async () => {
    const text = `FROM ${image}\nRUN od -An -N8 -tx1 /dev/urandom > /key\n`;
    const keyOf = async (owner: string, tag: string) => {
      await eventsOf(build({ text, owner, tag }));
      const shown = await eventsOf(
        build({ text: `FROM ${tag}\nRUN echo key $(cat /key)\n`, owner, tag: `${tag}-shown` }),
      );
      return shown.flatMap((event) => ('line' in event && /^key /.exec(event.line)?.input) || []);
    };
    const first = await keyOf('ann', `${mark}/key:1`);
    assert.equal(first.length, 1);
    await eventsOf(build({ text, tag: `${mark}/key:1` }));
    assert.notDeepEqual(await keyOf('bob', `${mark}/key:2`), first);
    const events = await eventsOf(build({ text, tag: `${mark}/key:1` }));
    assert.ok(events.some((event) => 'line' in event && event.line.includes('Using cache')));
  });

  it('refuses names that would ask the daemon for something else', async () => {
    const odd = ['forge/../x', 'x/%2e%2e/y', 'x//y', `${image}/json?`, ''];
    for (const name of odd) {
      await assert.rejects(service.find(name, 'bob'), isCode('invalid_options'), name);
      const signal = AbortSignal.timeout(10_000);
      const pushed = eventsOf(service.push({ tag: name, owner: 'bob', signal }));
      await assert.rejects(pushed, isCode('invalid_options'), name);
    }
    for (const tag of [`docker.io/forge/${mark}:1`, `index.docker.io/forge/${mark}:1`]) {
      await assert.rejects(eventsOf(build({ text: over, tag })), isCode('not_allowed'), tag);
    }
  });

  it('fetches nothing by itself, also with a network', async () => {
    const text = `${over}ADD http://169.254.169.254/latest /x\n`;
    await assert.rejects(eventsOf(build({ text, network: true })), isCode('not_allowed'));
    const missing = build({ text: 'FROM 127.0.0.1:9/no-such-image\n', network: true });
    await assert.rejects(eventsOf(missing), isCode('not_found'));
  });

  it('ends a build that is cancelled', async () => {
    const controller = new AbortController();
    const text = `${over}RUN sleep 600; echo ${mark}\n`;
    const events = build({ text, tag: `${mark}/slow:1`, signal: controller.signal });
    await assert.rejects(async () => {
      for await (const event of events) {
        if ('line' in event && /Running in/.test(event.line)) controller.abort();
      }
    }, isCode('cancelled'));
    await eventually(async () => {
      const running = await docker.listContainers();
      return running.every(({ Command: command }) => !command.includes(mark));
    }, 'the step is gone');
  });

  it('uses an image again that was built the same way', async () => {
    // Stands in for the programs of Debian that a recipe calls.
    const program = '#!/bin/sh\\nexit 0\\n';
    const fakes = ['apt-get', 'getent'].map((name) => {
      const place = `/usr/local/sbin/${name}`;
      return `RUN mkdir -p /usr/local/sbin && printf '${program}' > ${place} && chmod +x ${place}\n`;
    });
    fakes.push(
      'RUN echo agent:x:1000:1000::/:/bin/sh >> /etc/passwd\nRUN echo agent:x:1000: >> /etc/group\n',
    );
    const from = `${mark}/ground:1`;
    await eventsOf(build({ text: over + fakes.join(''), tag: from }));
    const again = (env: Record<string, string>, more: object = {}) =>
      buildRecipe({
        ...{ docker, name: 'x', recipe: { about: '', packages: ['a'], env }, from },
        ...{ onProgress: () => {}, signal: new AbortController().signal },
        options: { tag: `${mark}/x:1`, ...more },
      });
    const first = await again({ A: '1' });
    assert.equal(first.reused, false);
    assert.deepEqual(await again({ A: '1' }), { ...first, reused: true });
    assert.equal((await again({ A: '2' })).reused, false);
    assert.equal((await again({ A: '2' }, { fresh: true })).reused, false);
    const { Config } = await docker.getImage(`${mark}/x:1`).inspect();
    assert.equal(Config.User, 'agent');
    assert.ok(Config.Env.includes('A=2'));
    await assert.rejects(again({}, { mirror: 'x"; false; "' }), isCode('invalid_options'));
  });
});

describe('a registry', () => {
  let folder = '';
  let registry: ChildProcess | undefined;
  let address = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'forge-registry-'));
    const port = await freePort();
    address = `127.0.0.1:${port}`;
    const config = join(folder, 'config.yml');
    writeFileSync(
      config,
      `version: 0.1\nstorage: {filesystem: {rootdirectory: ${folder}}}\nhttp: {addr: "${address}"}\n`,
    );
    registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
    await eventually(
      async () => (await fetch(`http://${address}/v2/`).catch(() => undefined))?.ok === true,
      'the registry answers',
    );
  });

  after(async () => {
    if (registry?.exitCode === null) {
      registry.kill('SIGKILL');
      await once(registry, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes an image of its owner, and tells its digest', async () => {
    const tag = `${address}/${mark}/app:2`;
    await eventsOf(build({ text: over, tag }));
    const signal = AbortSignal.timeout(300_000);
    await assert.rejects(
      eventsOf(service.push({ tag, owner: 'bob', signal })),
      isCode('not_found'),
    );
    const last = (await eventsOf(service.push({ tag, owner: 'ann', signal }))).at(-1);
    assert.ok(last !== undefined && 'pushed' in last);
    assert.match(last.pushed.digest, /^sha256:[0-9a-f]{64}$/);
    const url = `http://${address}/v2/${mark}/app/manifests/2`;
    const headers = { accept: 'application/vnd.docker.distribution.manifest.v2+json' };
    const answer = await fetch(url, { method: 'HEAD', headers });
    assert.equal(answer.headers.get('docker-content-digest'), last.pushed.digest);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
