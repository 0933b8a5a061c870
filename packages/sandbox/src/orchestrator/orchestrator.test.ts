import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { Client, credentials, status } from '@grpc/grpc-js';
import { run, sh } from '../conformance/kit.ts';
import { createMemoryBackend } from '../memory/create-memory-backend.ts';
import { loadProto } from './load-proto.ts';
import { startOrchestrator } from './start-orchestrator.ts';
import {
  anything,
  create,
  isCode,
  quick,
  serving,
  statusOfCall,
  token,
} from './testing/serving.ts';

describe('orchestrator', () => {
  it('runs a command to its end, and says how it ended', async () => {
    await using server = await serving();
    const client = server.client();
    const containerId = await create(client);
    const argv = ['sh', '-c', 'echo out; echo err >&2; exit 3'];
    const answer = await client.ask('ExecCommand', { containerId, argv }, quick);
    assert.equal(String(answer.stdout), 'out\n');
    assert.equal(String(answer.stderr), 'err\n');
    assert.equal(anything.parse(answer.end).exited, 3);
    const usage = await client.ask('GetResourceUsage', { containerId }, quick);
    assert.equal(typeof usage, 'object');
    assert.equal((await client.ask('GetContainerStatus', { containerId }, quick)).state, 'RUNNING');
    await client.ask('DestroyContainer', { containerId }, quick);
    await client.ask('DestroyContainer', { containerId }, quick);
    await assert.rejects(
      client.ask('GetContainerStatus', { containerId }, quick),
      isCode('not_found'),
    );
  });

  it('cuts what one message cannot hold, and counts it', async () => {
    await using server = await serving();
    const client = server.client();
    const containerId = await create(client);
    const argv = ['head', '-c', '5000000', '/dev/zero'];
    const answer = await client.ask('ExecCommand', { containerId, argv }, quick);
    assert.ok(answer.stdout instanceof Uint8Array);
    assert.equal(answer.stdout.length, 3 * 1024 * 1024);
    const dropped = anything.parse(answer.end).droppedBytes;
    assert.equal(dropped, 5_000_000 - 3 * 1024 * 1024);
  });

  it('serves whoever is on this machine where it has no token', async () => {
    const backend = createMemoryBackend();
    const server = await startOrchestrator({ backend, listen: '127.0.0.1:0' });
    try {
      assert.equal(await statusOfCall(server.address, 'ListContainers', {}, {}), status.OK);
      assert.equal(await statusOfCall(server.address, 'CreateContainer', {}, {}), status.OK);
    } finally {
      await server.close();
      await backend.close();
    }
  });

  it('maps errors to status codes', async () => {
    await using server = await serving({ policy: { containers: 1 } });
    const auth = { authorization: `Bearer ${token}` };
    const ask = (name: string, request: object, metadata: object = auth) =>
      statusOfCall(server.address, name, request, metadata);
    assert.equal(await ask('ListContainers', {}, {}), status.UNAUTHENTICATED);
    const wrong = { authorization: 'Bearer another token of the same kind' };
    assert.equal(await ask('ListContainers', {}, wrong), status.UNAUTHENTICATED);
    assert.equal(await ask('ListContainers', {}), status.OK);
    assert.equal(await ask('GetContainerStatus', { containerId: 'x' }), status.NOT_FOUND);
    assert.equal(await ask('GetContainerStatus', {}), status.INVALID_ARGUMENT);
    assert.equal(await ask('CreateContainer', { containerId: 'NO' }), status.INVALID_ARGUMENT);
    const greedy = { limits: { memoryBytes: 1e15 } };
    assert.equal(await ask('CreateContainer', greedy), status.PERMISSION_DENIED);
    const network = { network: { type: 'FULL' } };
    assert.equal(await ask('CreateContainer', network), status.PERMISSION_DENIED);
    assert.equal(await ask('CreateContainer', { caches: ['npm'] }), status.PERMISSION_DENIED);
    assert.equal(await ask('CreateContainer', { containerId: 'one' }), status.OK);
    assert.equal(await ask('CreateContainer', { containerId: 'one' }), status.ALREADY_EXISTS);
    assert.equal(await ask('CreateContainer', {}), status.RESOURCE_EXHAUSTED);
    const command = { containerId: 'one', argv: ['a\0b'] };
    assert.equal(await ask('ExecCommand', command), status.INVALID_ARGUMENT);
  });

  it('says UNAVAILABLE where the backend cannot start a container', async () => {
    const down = async () => {
      throw new ForgeError('sandbox_failed', 'Docker does not answer.');
    };
    const backend = { ...createMemoryBackend(), start: down };
    await using server = await serving({ backend });
    const auth = { authorization: `Bearer ${token}` };
    const code = await statusOfCall(server.address, 'CreateContainer', {}, auth);
    assert.equal(code, status.UNAVAILABLE);
  });

  it('keeps clients from the containers of others', async () => {
    const tokens = { ann: 'the long token of ann', bob: 'the long token of bob' };
    await using server = await serving({ token: tokens, policy: { containersPerClient: 2 } });
    const ann = server.client('session-of-ann', tokens.ann);
    const bob = server.client('session-of-bob', tokens.bob);
    const containerId = await create(ann);
    await assert.rejects(
      bob.ask('GetContainerStatus', { containerId }, quick),
      isCode('not_found'),
    );
    await bob.ask('DestroyContainer', { containerId }, quick);
    assert.deepEqual((await bob.ask('ListContainers', {}, quick)).containers, []);
    assert.equal((await ann.ask('GetContainerStatus', { containerId }, quick)).state, 'RUNNING');
    await create(ann);
    await assert.rejects(create(ann), isCode('limit_reached'));
    await create(bob);
  });

  it('refuses to be reached by others without TLS and token', async () => {
    const backend = createMemoryBackend();
    try {
      for (const options of [{}, { token }] as const) {
        await assert.rejects(
          startOrchestrator({ backend, listen: '0.0.0.0:0', ...options }),
          isCode('not_allowed'),
        );
      }
      await assert.rejects(
        startOrchestrator({ backend, listen: '127.0.0.1:0', token: 'short' }),
        isCode('invalid_options'),
      );
      await assert.rejects(
        startOrchestrator({ backend, listen: 'nowhere', token }),
        isCode('invalid_options'),
      );
    } finally {
      await backend.close();
    }
  });

  it('answers questions after its health, without a token', async () => {
    await using server = await serving();
    const { Check } = loadProto().health;
    assert.ok(Check);
    const client = new Client(server.address, credentials.createInsecure());
    try {
      const answer = await new Promise<unknown>((resolve, reject) => {
        client.makeUnaryRequest(
          Check.path,
          Check.requestSerialize,
          Check.responseDeserialize,
          { service: '' },
          (error, value) => (error === null ? resolve(value) : reject(error)),
        );
      });
      assert.deepEqual(answer, { status: 'SERVING' });
    } finally {
      client.close();
    }
  });

  it('takes messages up to its limit only', async () => {
    await using server = await serving({ policy: { messageBytes: 100_000 } });
    const sandbox = await server.remote().start();
    const ran = await run(sandbox, { argv: ['cat'], stdin: 'x'.repeat(200_000) });
    assert.equal(ran.end.type, 'not_started', JSON.stringify(ran.end));
    assert.equal(await sh(sandbox, 'echo fine'), 'fine\n');
  });
});
