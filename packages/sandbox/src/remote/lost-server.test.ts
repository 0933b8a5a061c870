import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { eventually, run } from '../conformance/kit.ts';
import { createMemoryBackend } from '../memory/create-memory-backend.ts';
import { startOrchestrator } from '../orchestrator/start-orchestrator.ts';
import { createProcessBackend } from '../process/create-process-backend.ts';
import { createRemoteBackend } from './create-remote-backend.ts';
import { startRelay } from './testing/start-relay.ts';

const token = 'a token that only tests know';

test('ends a command whose server is lost, and gives the sandbox up in time', async () => {
  const backend = createProcessBackend({ trusted: true });
  const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  const relay = await startRelay(orchestrator.address);
  const remote = createRemoteBackend({ address: relay.address, token, lostMs: 300 });
  try {
    const sandbox = await remote.start();
    const endless = sandbox.exec({ argv: ['sh', '-c', 'echo up; exec sleep 600'] });
    for await (const _ of endless.output) break;
    relay.cut();
    const { end, stdout } = await endless.result;
    assert.equal(end.type, 'sandbox_ended');
    assert.equal(Buffer.from(stdout).toString(), 'up\n');
    await eventually(async () => sandbox.state() === 'failed', 'it is given up');
    assert.throws(
      () => sandbox.exec({ argv: ['true'] }),
      (error) => ForgeError.is(error, 'not_running'),
    );
    await sandbox.stop();
  } finally {
    await remote.close();
    await relay.close();
    await orchestrator.close({ graceMs: 0 });
    await backend.close();
  }
});

test('goes on with its sandboxes after a connection that broke', async () => {
  const backend = createProcessBackend({ trusted: true });
  const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  const relay = await startRelay(orchestrator.address);
  const remote = createRemoteBackend({ address: relay.address, token });
  try {
    const sandbox = await remote.start();
    await sandbox.writeFile('kept', 'x');
    relay.cut();
    relay.mend();
    await eventually(
      async () =>
        sandbox.state() === 'running' && (await run(sandbox, ['cat', 'kept'])).exitCode === 0,
      'it answers again',
    );
    assert.equal(sandbox.state(), 'running');
  } finally {
    await remote.close();
    await relay.close();
    await orchestrator.close({ graceMs: 0 });
    await backend.close();
  }
});

test('notices a server that came back without its containers', async () => {
  const backend = createMemoryBackend();
  const first = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  const relay = await startRelay(first.address);
  const remote = createRemoteBackend({ address: relay.address, token });
  const second = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  try {
    const sandbox = await remote.start();
    assert.equal((await run(sandbox, ['echo', 'hi'])).out, 'hi\n');
    relay.cut();
    relay.mend(second.address);
    await eventually(async () => sandbox.state() === 'failed', 'its container is gone');
  } finally {
    await remote.close();
    await relay.close();
    await first.close({ graceMs: 0 });
    await second.close({ graceMs: 0 });
    await backend.close();
  }
});

test('says so, and does not wait, where no server is', async () => {
  const relay = await startRelay('127.0.0.1:9');
  relay.cut();
  const remote = createRemoteBackend({ address: relay.address, token });
  try {
    await assert.rejects(remote.start(), (error) => ForgeError.is(error, 'sandbox_failed'));
    const probe = await remote.probe();
    assert.ok(!probe.available && probe.fix.includes('forge orchestrator'));
    assert.doesNotMatch(probe.problem, /Resolution note/);
  } finally {
    await remote.close();
    await relay.close();
  }
});

test('asks for a token where the server knows another', async () => {
  const backend = createMemoryBackend();
  const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  const remote = createRemoteBackend({ address: orchestrator.address, token: 'another one' });
  try {
    const probe = await remote.probe();
    assert.ok(!probe.available);
    assert.match(probe.fix, /^Give a token it knows/);
  } finally {
    await remote.close();
    await orchestrator.close({ graceMs: 0 });
    await backend.close();
  }
});

test('sends no token over a network in the clear', () => {
  assert.throws(
    () => createRemoteBackend({ address: 'sandboxes.example.org:7070', token }),
    (error) => ForgeError.is(error, 'not_allowed'),
  );
});

test('does not wait for a source that stalls once the server is lost', async () => {
  const backend = createProcessBackend({ trusted: true });
  const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  const relay = await startRelay(orchestrator.address);
  const remote = createRemoteBackend({ address: relay.address, token });
  try {
    const sandbox = await remote.start();
    const stalled = new PassThrough();
    stalled.write(new Uint8Array(512));
    const copied = sandbox.copyIn('.', stalled);
    relay.cut();
    await assert.rejects(copied, (error) => ForgeError.is(error, 'sandbox_failed'));
    assert.equal(stalled.destroyed, true);
  } finally {
    await remote.close();
    await relay.close();
    await orchestrator.close({ graceMs: 0 });
    await backend.close();
  }
});
