import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createProxy } from './create-proxy.ts';
import { sse, startRawBackend } from './raw-backend.test.ts';

const json = { 'content-type': 'application/json' };
const refusal = {
  error: {
    code: 400,
    message: 'Failed to initialize samplers: failed to parse grammar',
    type: 'invalid_request_error',
  },
};
const reply = (value: object) => ({ id: 'x', model: 'm', choices: [{ index: 0, ...value }] });
const call = {
  id: 'c1',
  type: 'function',
  function: { name: 'write', arguments: '{"text":"hi"}' },
};
const message = { role: 'assistant', content: null, tool_calls: [call] };
const delta = { role: 'assistant', tool_calls: [{ index: 0, ...call }] };

/** Refuses like llama.cpp, which cannot make a grammar of a text of 100,000 characters. */
async function set() {
  const backend = await startRawBackend(({ body }, response) => {
    const asked = body.toString();
    if (asked.includes('100000')) return response.writeHead(400, json).end(JSON.stringify(refusal));
    if (!asked.includes('"stream":true')) {
      const whole = reply({ finish_reason: 'tool_calls', message });
      return response.writeHead(200, json).end(JSON.stringify(whole));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pieces = [reply({ delta }), reply({ delta: {}, finish_reason: 'tool_calls' })];
    return response.end(sse(...pieces.map((piece) => JSON.stringify(piece)), '[DONE]'));
  });
  const proxy = await createProxy({ port: 0, backend: { url: backend.url } });
  after(async () => {
    await proxy.close({ grace: 0 });
    await backend.close();
  });
  const ask = (maxLength: number, stream = false) => {
    const properties = { text: { type: 'string', maxLength } };
    const parameters = { type: 'object', properties, required: ['text'] };
    const tools = [{ type: 'function', function: { name: 'write', description: '', parameters } }];
    const messages = [{ role: 'user', content: 'Go.' }];
    return fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages, tools, stream }),
    });
  };
  return { ask, backend };
}

describe('a backend that makes grammars of schemas', () => {
  it('is asked again without the bounds it cannot take, and so from then on', async () => {
    const { ask, backend } = await set();
    assert.deepEqual((await (await ask(100_000)).json()).choices[0].message.tool_calls, [call]);
    assert.equal((await ask(100_000)).status, 200);
    assert.equal(backend.bodies.length, 3);
    assert.match(String(backend.bodies[2]), /"text":\{"type":"string"\}/);
  });

  it('is asked again for a stream too', async () => {
    const { ask, backend } = await set();
    const response = await ask(100_000, true);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"name":"write".*\[DONE\]/s);
    assert.equal(backend.bodies.length, 2);
  });

  it('is sent small bounds as they are, byte for byte', async () => {
    const { ask, backend } = await set();
    await ask(100_000);
    await ask(400);
    assert.match(String(backend.bodies.at(-1)), /"maxLength":400/);
  });
});
