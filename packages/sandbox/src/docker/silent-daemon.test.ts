import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { loadDocker } from '../images/load-docker.ts';
import { createDockerBackend, type DockerBackendOptions } from './create-docker-backend.ts';
import { discard } from './docker-ground.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An engine on a socket that answers what it is told to answer, and nothing else ever. */
async function engine(answers: Readonly<Record<string, Answer>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-silent-'));
  const socketPath = join(folder, 'docker.sock');
  const asked = new EventEmitter();
  const server = createServer((request, response) => {
    const what = `${request.method} ${new URL(request.url ?? '', 'http://x').pathname}`;
    request.resume();
    answers[what]?.(request, response);
    asked.emit(what);
  });
  server.listen(socketPath);
  await once(server, 'listening');
  const backends: { close(): Promise<void> }[] = [];
  return {
    asked,
    socketPath,
    backend: (options: DockerBackendOptions = {}) => {
      const backend = createDockerBackend({ socketPath, image: 'x', removeMs: 50, ...options });
      backends.push(backend);
      return backend;
    },
    [Symbol.asyncDispose]: async () => {
      for (const backend of backends) await backend.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const json =
  (status: number, body: object): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const gone: Answer = (_, response) => void response.writeHead(204).end();
const image = { 'GET /images/x/json': json(200, { Id: 'sha256:1', Config: {} }) };
const isSilence = (error: unknown) =>
  ForgeError.is(error, 'sandbox_failed') && /did not .+ within/.test(error.message);

describe('a daemon that never answers', () => {
  it('ends a start when its time is over, and is not asked again', async () => {
    await using silent = await engine();
    let times = 0;
    silent.asked.on('GET /images/x/json', () => {
      times += 1;
    });
    await assert.rejects(silent.backend({ createMs: 1_000 }).start(), isSilence);
    assert.equal(times, 1);
  });

  it('ends a start that waits for its container when its time is over', async () => {
    await using silent = await engine(image);
    await assert.rejects(silent.backend({ createMs: 1_000 }).start(), isSilence);
  });

  it('holds up neither a start that is cancelled nor the close', async () => {
    for (const [answers, question] of [
      [{}, 'GET /images/x/json'],
      [image, 'POST /containers/create'],
    ] as const) {
      await using silent = await engine(answers);
      const backend = silent.backend();
      const cancel = new AbortController();
      const asked = once(silent.asked, question);
      const start = backend.start({ signal: cancel.signal });
      await asked;
      cancel.abort();
      await assert.rejects(start, (error) => ForgeError.is(error, 'cancelled'));
      const again = once(silent.asked, question);
      const other = backend.start();
      await again;
      const refused = assert.rejects(other, (error) => ForgeError.is(error, 'not_running'));
      await backend.close();
      await refused;
    }
  });

  it('ends the questions of a list and a reaping', async () => {
    await using silent = await engine();
    const backend = silent.backend();
    await assert.rejects(backend.list(), isSilence);
    await assert.rejects(backend.reap(), isSilence);
  });

  it('holds up a stop no longer than a removal may take', async () => {
    const removed = { 'DELETE /containers/c1': gone };
    for (const answers of [{}, removed]) {
      await using silent = await engine(answers);
      const waiting = new AbortController();
      const container = (await loadDocker(silent)).getContainer('c1');
      const lifeline = new PassThrough();
      const stop = discard({
        ...{ container, lifeline, removeMs: 50, forget: () => waiting.abort() },
        gone: new Promise(() => {}),
      });
      await assert.rejects(stop, isSilence);
      assert.ok(lifeline.destroyed && waiting.signal.aborted);
    }
  });

  it('ends a start whose container cannot be started, and its removal', async () => {
    const made = json(201, { Id: 'c1', Warnings: [] });
    await using silent = await engine({ ...image, 'POST /containers/create': made });
    const removal = once(silent.asked, 'DELETE /containers/c1');
    await assert.rejects(silent.backend({ createMs: 1_000 }).start(), isSilence);
    await removal;
  });
});

describe('a container that arrives late', () => {
  it('is removed', async () => {
    let arrive = () => {};
    await using slow = await engine({
      ...image,
      'GET /containers/json': json(200, []),
      'POST /containers/create': (request, response) => {
        arrive = () => json(201, { Id: 'c1', Warnings: [] })(request, response);
      },
      'DELETE /containers/c1': gone,
    });
    const cancel = new AbortController();
    const asked = once(slow.asked, 'POST /containers/create');
    const start = slow.backend({ removeMs: 60_000 }).start({ signal: cancel.signal });
    await asked;
    cancel.abort();
    await assert.rejects(start, (error) => ForgeError.is(error, 'cancelled'));
    const removal = once(slow.asked, 'DELETE /containers/c1');
    arrive();
    await removal;
  });
});
