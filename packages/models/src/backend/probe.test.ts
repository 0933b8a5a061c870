import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { contextLengthIn, probe } from './probe.ts';

let reply = { status: 200, body: '{}' };
const server = createServer((_, response) => response.writeHead(reply.status).end(reply.body));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;

test('a server is ready when it says 200, and tells its context length if it can', async () => {
  reply = { status: 200, body: '{"default_generation_settings":{"n_ctx":8192}}' };
  assert.deepEqual(await probe({ kind: 'llamaserver', url }), { ready: true, contextLength: 8192 });
  assert.deepEqual(await probe({ kind: 'ollama', url }), { ready: true });
  reply = { status: 200, body: '<html>' };
  assert.deepEqual(await probe({ kind: 'llamafile', url }), { ready: true });
});

test('a server that loads, or is not there, is not ready', async () => {
  reply = { status: 503, body: '{"error":{"message":"Loading model"}}' };
  assert.deepEqual(await probe({ kind: 'llamaserver', url }), { ready: false });
  assert.deepEqual(await probe({ kind: 'vllm', url: 'http://127.0.0.1:1' }), { ready: false });
});

test('stops asking when told to', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(probe({ kind: 'llamaserver', url, signal }), /enough/);
});

test('vLLM tells the length for its first model; numbers may come as text', () => {
  assert.equal(contextLengthIn('vllm', { data: [{ max_model_len: '4096' }] }), 4096);
  assert.equal(contextLengthIn('vllm', { data: [] }), undefined);
});

test('no answer makes it fail', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('vllm', 'llamaserver', 'ollama'), (body, kind) => {
      const length = contextLengthIn(kind, body);
      assert.ok(length === undefined || length > 0);
    }),
  );
});
