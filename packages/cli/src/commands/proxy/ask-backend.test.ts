import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { askBackend } from './ask-backend.ts';
import { findServers } from './find-servers.ts';

const signal = new AbortController().signal;

/** A server with these pages; others are 404. */
async function serve(t: TestContext, pages: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    response.statusCode = page === undefined ? 404 : 200;
    response.end(typeof page === 'string' ? page : JSON.stringify(page ?? { error: 'no' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const list = (...models: object[]) => ({ object: 'list', data: models });

test('llama-server, by its props', async (t) => {
  const url = await serve(t, {
    '/v1/models': list({ id: 'a.gguf', owned_by: 'llamacpp' }),
    '/props': { default_generation_settings: { n_ctx: 512 }, total_slots: 4 },
  });
  const { kind, models, contextLength, slots } = await askBackend({ url: `${url}/v1`, signal });
  assert.deepEqual(
    { kind, models, contextLength, slots },
    {
      kind: 'llamaserver',
      models: ['a.gguf'],
      contextLength: 512,
      slots: 4,
    },
  );
});

test('Ollama, by its version; the window only where one model is meant', async (t) => {
  const url = await serve(t, {
    '/v1/models': list({ id: 'a:8b' }, { id: 'b:1b' }),
    '/api/version': { version: '0.9.0' },
    '/api/ps': { models: [{ name: 'b:1b', model: 'b:1b', context_length: 8192 }] },
  });
  const any = await askBackend({ url, signal });
  assert.deepEqual([any.kind, any.contextLength, any.models.length], ['ollama', undefined, 2]);
  assert.equal((await askBackend({ url, model: 'b:1b', signal })).contextLength, 8192);
});

test('vLLM and LM Studio', async (t) => {
  const vllm = await serve(t, {
    '/v1/models': list({ id: 'm', owned_by: 'vllm', max_model_len: 4096 }),
  });
  const studio = await serve(t, {
    '/v1/models': list({ id: 'm' }),
    '/props': { error: 'Unexpected endpoint' },
    '/api/v0/models': list({ id: 'm', loaded_context_length: 2048 }),
  });
  const found = await findServers({ addresses: [vllm, studio, 'http://127.0.0.1:9'], signal });
  assert.deepEqual(
    found.map(({ kind, contextLength }) => [kind, contextLength]),
    [
      ['vllm', 4096],
      ['lmstudio', 2048],
    ],
  );
});

test('something else that listens there is no model server', async (t) => {
  const url = await serve(t, { '/v1/models': '<html>', '/props': '<html>', '/': '<html>' });
  assert.deepEqual(await findServers({ addresses: [url], signal }), []);
  const known = await askBackend({ url, signal });
  assert.deepEqual([known.reachable, known.kind, known.models], [true, 'unknown', []]);
});

test('nobody there', async () => {
  const { reachable, models } = await askBackend({ url: 'http://127.0.0.1:9', signal });
  assert.deepEqual([reachable, models], [false, []]);
});

test('a service is asked for its models only, with its key in its place', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers['x-api-key']}`);
    response.statusCode = 401;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const known = await askBackend({ url, kind: 'anthropic', apiKey: 'k', signal });
  assert.deepEqual([known.refusesKey, known.models], [true, []]);
  assert.deepEqual(asked, ['/v1/models k']);
});

test('a redirect is not followed: the key is for the server it was meant for', async (t) => {
  const asked: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const to = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const server = createServer((_, response) => response.writeHead(307, { location: to }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.equal((await askBackend({ url, apiKey: 'secret', signal })).reachable, true);
  assert.deepEqual(asked, []);
});
