import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { z } from 'zod';
import { tarBytes } from '../conformance/tar-bytes.ts';
import { createDockerBackend } from '../docker/create-docker-backend.ts';
import { createImageService } from '../images/create-image-service.ts';
import { createMemoryBackend } from '../memory/create-memory-backend.ts';
import { startDocker, type TestDocker } from '../testing/start-docker.ts';
import { loadProto } from './load-proto.ts';
import type { Orchestrator } from './start-orchestrator.ts';
import { startOrchestrator } from './start-orchestrator.ts';
import { create, isCode, serving, token } from './testing/serving.ts';

const mark = `forge-test-${randomBytes(4).toString('hex')}`;
const failure = z.object({ code: z.number(), details: z.string() });

describe('images through the orchestrator', () => {
  const backend = createMemoryBackend();
  let docker: TestDocker;
  let image = '';
  let orchestrator: Orchestrator;

  before(async () => {
    docker = await startDocker();
    image = await docker.testImage();
    const images = createImageService({ socketPath: docker.socketPath });
    const policy = { contextBytes: 1_000_000, registries: ['127.0.0.1:9'] };
    const listen = '127.0.0.1:0';
    orchestrator = await startOrchestrator({ backend, listen, token, images, policy });
  });

  after(async () => {
    await orchestrator.close({ graceMs: 0 });
    await backend.close();
    await docker.docker
      .getImage(`${mark}:1`)
      .remove({ force: true })
      .catch(() => {});
    docker.stop();
  });

  /** The messages of a call with several requests, or the status it failed with. */
  async function exchange(
    address: string,
    name: 'BuildImage' | 'PushImage',
    requests: readonly object[],
  ) {
    const method = loadProto().orchestrator[name];
    assert.ok(method);
    const client = new Client(address, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    try {
      const call = client.makeBidiStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        metadata,
      );
      for (const request of requests) call.write(request);
      call.end();
      return { messages: await call.toArray() };
    } catch (error) {
      return { failed: failure.parse(error) };
    } finally {
      client.close();
    }
  }

  const contextOf = (text: string) => tarBytes([{ name: 'Dockerfile', content: text }]);

  it('builds from an uploaded context', async () => {
    const context = contextOf(`FROM ${image}\nRUN echo ${mark}\n`);
    const { messages = [] } = await exchange(orchestrator.address, 'BuildImage', [
      { options: { tag: `${mark}:1` } },
      { context: context.subarray(0, 700) },
      { context: context.subarray(700) },
    ]);
    const last = z.object({ built: z.object({ tag: z.string() }) }).parse(messages.at(-1));
    assert.equal(last.built.tag, `${mark}:1`);
    assert.match(JSON.stringify(messages), new RegExp(`"line":"${mark}"`));
  });

  it('refuses what its policy does not allow', async () => {
    const { address } = orchestrator;
    const options = { options: { tag: `${mark}:2` } };
    const codeOf = async (...requests: object[]) =>
      (await exchange(address, 'BuildImage', requests)).failed?.code;
    const context = contextOf(`FROM ${image}\n`);
    assert.equal(await codeOf({ context }), status.INVALID_ARGUMENT);
    assert.equal(await codeOf(options, { context: randomBytes(3000) }), status.INVALID_ARGUMENT);
    const big = tarBytes([{ name: 'big', content: new Uint8Array(2_000_000) }]);
    assert.equal(await codeOf(options, { context: big }), status.RESOURCE_EXHAUSTED);
    const withNetwork = { options: { tag: `${mark}:2`, network: true } };
    assert.equal(await codeOf(withNetwork, { context }), status.PERMISSION_DENIED);
    const evil = contextOf('# syntax=evil/frontend\nFROM scratch\n');
    assert.equal(await codeOf(options, { context: evil }), status.PERMISSION_DENIED);
    const push = async (tag: string) =>
      (await exchange(address, 'PushImage', [{ tag }])).failed?.code;
    assert.equal(await push(`registry.example.org/${mark}:1`), status.PERMISSION_DENIED);
    assert.equal(await push(`127.0.0.1:9/${mark}:1`), status.NOT_FOUND);
  });

  it('runs an image for nobody but its owner', async () => {
    const images = createImageService({ socketPath: docker.socketPath });
    const own = createDockerBackend({ socketPath: docker.socketPath, image });
    const tokens = { ann: `${token} of ann`, bob: `${token} of bob` };
    await using server = await serving({ backend: own, images, token: tokens });
    const tag = `${mark}:1`;
    const context = Readable.from([contextOf(`FROM ${image}\n`)]);
    const signal = AbortSignal.timeout(300_000);
    await docker.docker
      .getImage(tag)
      .remove({ force: true })
      .catch(() => {});
    const request = { tag, context, dockerfile: 'Dockerfile', buildArgs: {}, network: false };
    for await (const _ of images.build({ ...request, owner: 'ann', signal }));
    await assert.rejects(
      create(server.client('b', tokens.bob), { image: tag }),
      isCode('not_found'),
    );
    await create(server.client('a', tokens.ann), { image: tag });
    await create(server.client('b', tokens.bob), { image });
  });

  it('builds nothing where the backend has no images', async () => {
    const bare = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
    try {
      const options = { options: { tag: `${mark}:3` } };
      const { failed } = await exchange(bare.address, 'BuildImage', [options]);
      assert.equal(failed?.code, status.UNIMPLEMENTED);
    } finally {
      await bare.close({ graceMs: 0 });
    }
  });
});
