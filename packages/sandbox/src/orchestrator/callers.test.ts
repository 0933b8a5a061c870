import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually, run } from '../conformance/kit.ts';
import { createProcessBackend } from '../process/create-process-backend.ts';
import { createRemoteBackend } from '../remote/create-remote-backend.ts';
import { startOrchestrator } from './start-orchestrator.ts';
import { anything, create, isCode, quick, serving, token } from './testing/serving.ts';

describe('callers who come and go', () => {
  it('kills the command of a caller that goes away', async () => {
    await using server = await serving();
    const client = server.client();
    const containerId = await create(client);
    const script = 'echo $$; echo up > up; exec sleep 600';
    const call = client.open('StreamCommand', { containerId, argv: ['sh', '-c', script] });
    call.on('error', () => {});
    const [first] = await call.take(1).toArray();
    const pid = Number(String(anything.parse(first).stdout));
    call.cancel();
    await eventually(async () => !isAlive(pid), 'the command is gone');
  });

  it('kills a command at the deadline of its call', async () => {
    await using server = await serving();
    const client = server.client();
    const containerId = await create(client);
    const request = { containerId, argv: ['sh', '-c', 'echo $$ > pid; exec sleep 600'] };
    await assert.rejects(
      client.ask('ExecCommand', request, { schema: anything, timeoutMs: 3_000 }),
      isCode('tool_timeout'),
    );
    const argv = ['cat', 'pid'];
    const { stdout } = await client.ask('ExecCommand', { containerId, argv }, quick);
    await eventually(async () => !isAlive(Number(String(stdout))), 'the command is gone');
  });

  it('destroys the containers of a caller that vanished', async () => {
    let time = 1_000_000;
    await using server = await serving({ now: () => time, policy: { idleMs: 60_000 } });
    const client = server.client();
    await create(client);
    const remote = server.remote();
    const attached = await remote.start();
    time += 120_000;
    // The one without a connection held open is gone; the other is not, however idle.
    await eventually(async () => (await remote.list()).length === 1, 'one is gone');
    assert.equal((await run(attached, ['true'])).exitCode, 0);
    assert.equal((await remote.list())[0]?.id, attached.id);
  });

  it('lets the next start remove what a dead program left', async () => {
    await using server = await serving({ policy: { reattachMs: 0 } });
    const dead = server.client('session-of-the-dead');
    const attach = dead.open('Attach', {});
    attach.on('error', () => {});
    await new Promise((resolve) => attach.once('data', resolve));
    const containerId = await create(dead);
    const remote = server.remote();
    const sandbox = await remote.start();
    assert.deepEqual(await remote.reap(), []);
    attach.cancel();
    dead.close();
    await eventually(
      async () => (await remote.reap()).some((line) => line.includes(containerId)),
      'it is reaped',
    );
    assert.deepEqual(
      (await remote.list()).map(({ id }) => id),
      [sandbox.id],
    );
  });

  it('lets calls end before it stops, and removes every container', async () => {
    const backend = createProcessBackend({ trusted: true });
    const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
    const remote = createRemoteBackend({ address: orchestrator.address, token });
    try {
      const sandbox = await remote.start();
      const short = sandbox.exec({ argv: ['sh', '-c', 'echo up; sleep 0.3; echo done'] });
      for await (const _ of short.output) break;
      await orchestrator.close({ graceMs: 30_000 });
      assert.equal(Buffer.from((await short.result).stdout).toString(), 'up\ndone\n');
      assert.deepEqual(await backend.list(), []);
      const late = sandbox.exec({ argv: ['true'] });
      assert.equal((await late.result).end.type, 'sandbox_ended');
    } finally {
      await remote.close();
      await orchestrator.close();
      await backend.close();
    }
  });
});

function isAlive(pid: number): boolean {
  assert.ok(pid > 1);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
