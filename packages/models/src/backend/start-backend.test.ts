import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '@forge/core';
import { ModelError } from '../wire/model-error.ts';
import type { BackendOptions } from './backend-options.ts';
import { readState, stateFile, writeJson } from './backend-state.ts';
import { backendLogs, backendStatus } from './backend-status.ts';
import { identifyProcess, isRunning } from './process-identity.ts';
import { type Backend, startBackend } from './start-backend.ts';
import { stopBackend } from './stop-backend.ts';

const binary = fileURLToPath(new URL('./__fixtures__/fake-server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'forge-backend-'));
const model = join(folder, 'model.gguf');
writeFileSync(model, 'GGUF');
let places = 0;

/** Options for a backend of its own, which is stopped after the tests. */
function fake(extraFlags: readonly string[] = [], more: Partial<BackendOptions> = {}) {
  places += 1;
  const options: BackendOptions = {
    kind: 'llamaserver',
    binary,
    model,
    stateFolder: join(folder, `state-${places}`),
    extraFlags,
    stopGrace: 2_000,
    restart: { firstDelay: 1, maxDelay: 1 },
    ...more,
  };
  used.push(options);
  return options;
}
const used: BackendOptions[] = [];
after(async () => {
  for (const { stateFolder } of used) {
    for (const { id } of await backendStatus({ stateFolder }))
      await stopBackend(id, { stateFolder });
  }
  rmSync(folder, { recursive: true, force: true });
});

const stateOf = (options: BackendOptions, { id }: Backend) => {
  const state = readState(join(options.stateFolder ?? '', id));
  assert.ok(state);
  return state;
};

async function until(what: () => boolean | Promise<boolean>) {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 20));
}

// Each has a place of its own, so they need not wait for each other.
describe('startBackend', { concurrency: 4 }, () => {
  test('starts a server, waits while it loads, and tells its context length', async () => {
    const options = fake(['--loading', '2'], { contextLength: 2048, parallel: 2 });
    const backend = await startBackend(options);
    assert.equal(backend.reused, false);
    assert.equal(backend.contextLength, 4096, 'the fake tells what it was given: 2 slots of 2048');
    assert.equal(backend.modelName, `llamacpp:${backend.url}`);
    assert.equal((await fetch(`${backend.url}/props`)).status, 200);
    const [status] = await backendStatus(options);
    assert.deepEqual([status?.phase, status?.healthy, status?.restarts], ['ready', true, 0]);
    assert.match(backendLogs(backend.id, options).join('\n'), /flags: -m .*model\.gguf -c 4096/);
  });

  test('uses an identical one again, also when two want it at once', async () => {
    const options = fake();
    const both = await Promise.all([startBackend(options), startBackend(options)]);
    const third = await startBackend(options);
    assert.deepEqual(both.map(({ reused }) => reused).sort(), [false, true]);
    assert.equal(third.reused, true);
    assert.equal(new Set([...both, third].map(({ url }) => url)).size, 1);
  });

  test('starts another one for other flags', async () => {
    const options = fake();
    const first = await startBackend(options);
    const second = await startBackend({ ...options, contextLength: 512 });
    assert.notEqual(first.url, second.url);
    await assert.rejects(stopBackend('llamaserver', options), /several backends/);
    assert.equal(await stopBackend(first.id.slice(0, -2), options), first.id);
    assert.equal(await stopBackend('llamaserver', options), second.id, 'the one that is left');
  });

  test('starts a server again when it dies, on the same port', async () => {
    const options = fake();
    const backend = await startBackend(options);
    const before = stateOf(options, backend).server;
    await fetch(`${backend.url}/die`).catch(() => {});
    await until(() => {
      const { phase, restarts } = stateOf(options, backend);
      return phase === 'ready' && restarts === 1;
    });
    assert.notDeepEqual(stateOf(options, backend).server, before);
    assert.equal((await fetch(`${backend.url}/props`)).status, 200);
    assert.match(
      backendLogs(backend.id, options).join('\n'),
      /out of memory\n\[forge\] the server ended with code 9/,
    );
  });

  test('keeps trying while restarts fail, and gives up after as many as allowed', async () => {
    const obstacle = join(folder, 'obstacle');
    const options = fake(['--fail-while', obstacle], {
      restart: { attempts: 2, firstDelay: 1, maxDelay: 1 },
    });
    const backend = await startBackend(options);
    writeFileSync(obstacle, '');
    await fetch(`${backend.url}/die`).catch(() => {});
    await until(
      () => stateOf(options, backend).restarts === 2 && stateOf(options, backend).phase === 'ready',
    );
    assert.equal(existsSync(obstacle), false);
    await fetch(`${backend.url}/die`).catch(() => {});
    await until(() => stateOf(options, backend).phase === 'failed');
    const { failure } = stateOf(options, backend);
    assert.match(failure ?? '', /ended with code 9\. The end of its log/);
  });

  test('a server that dies at the start is an error with the end of its log, at once', async () => {
    const options = fake(['--fail']);
    await assert.rejects(startBackend(options), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.kind, 'unavailable');
      assert.match(
        error.message,
        /did not start: .*ended with code 3[\s\S]*the model has no layers/,
      );
      return true;
    });
    const [status] = await backendStatus(options);
    assert.deepEqual([status?.phase, status?.restarts], ['failed', 0]);
  });

  test('a server that never becomes ready is ended after its time', async () => {
    const options = fake(['--loading', '1000000'], { startTimeout: 400 });
    await assert.rejects(startBackend(options), /was not ready after 400 ms/);
  });

  test('a port in use is told before anything is started', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await assert.rejects(startBackend(fake([], { port })), (error) => {
      assert.ok(ForgeError.is(error, 'invalid_options'));
      assert.match(error.message, new RegExp(`Port ${port} on 127.0.0.1 is in use`));
      return true;
    });
    server.close();
  });

  test('stopping ends the children of the server too, and those who will not listen', async () => {
    const options = fake(['--child', '--deaf'], { stopGrace: 100 });
    const backend = await startBackend(options);
    const { server, keeper } = stateOf(options, backend);
    const log = readFileSync(backend.logFile, 'utf8');
    const child = identifyProcess(Number(/child: (\d+)/.exec(log)?.[1]));
    assert.ok(server && child && isRunning(server) && isRunning(child));
    await backend.stop();
    assert.deepEqual([server, child, keeper].map(isRunning), [false, false, false]);
    assert.equal(stateOf(options, backend).phase, 'stopped');
    await backend.stop();
  });

  test('children left behind by a server that died are ended before it starts again', async () => {
    const options = fake(['--child']);
    const backend = await startBackend(options);
    const child = identifyProcess(
      Number(/child: (\d+)/.exec(readFileSync(backend.logFile, 'utf8'))?.[1]),
    );
    assert.ok(child);
    await fetch(`${backend.url}/die`).catch(() => {});
    await until(() => stateOf(options, backend).restarts === 1);
    assert.equal(isRunning(child), false);
  });

  test('a backend whose keeper was killed is lost; starting it cleans up and begins anew', async () => {
    const options = fake();
    const first = await startBackend(options);
    const { server, keeper } = stateOf(options, first);
    process.kill(keeper.pid, 'SIGKILL');
    await until(() => !isRunning(keeper));
    const [status] = await backendStatus(options);
    assert.equal(status?.phase, 'lost');
    const second = await startBackend(options);
    assert.equal(second.reused, false);
    assert.ok(server && !isRunning(server));
  });

  test('a number that belongs to another process now is never signalled', async () => {
    const options = fake();
    const backend = await startBackend(options);
    await backend.stop();
    const own = { pid: process.pid, began: 'another time' };
    const stale = { ...stateOf(options, backend), phase: 'ready', keeper: own, server: own };
    writeJson(join(options.stateFolder ?? '', backend.id), stateFile, stale);
    const again = await startBackend(options);
    assert.equal(again.reused, false);
  });

  test('a state file that cannot be read is as good as none', async () => {
    const options = fake();
    const first = await startBackend(options);
    await first.stop();
    writeFileSync(join(options.stateFolder ?? '', first.id, stateFile), '{"v": 99');
    assert.equal((await startBackend(options)).reused, false);
  });

  test('aborting a start ends what was started', async () => {
    const options = fake(['--loading', '1000000']);
    const controller = new AbortController();
    const starting = startBackend({ ...options, signal: controller.signal });
    starting.catch(() => {});
    await until(async () => (await backendStatus(options))[0]?.server !== undefined);
    const [status] = await backendStatus(options);
    controller.abort(new Error('changed my mind'));
    await assert.rejects(starting, /changed my mind/);
    assert.ok(status?.server && !isRunning(status.server) && !isRunning(status.keeper));
  });

  for (const [kind, more, contextLength] of [
    ['vllm', { contextLength: 1024 }, 1024],
    ['ollama', { model: undefined, contextLength: 1024 }, undefined],
    ['llamafile', { contextLength: 1024 }, 1024],
  ] as const) {
    test(`${kind} is started in its own way`, async () => {
      const backend = await startBackend(fake([], { kind, ...more }));
      assert.equal(backend.contextLength, contextLength);
      assert.ok(backend.id.startsWith(`${kind}-`));
    });
  }
});
