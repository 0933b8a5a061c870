import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { createProxy, type RunningProxy } from './create-proxy.ts';
import type { ProxyEvent } from './proxy-event.ts';
import { sse, startRawBackend } from './raw-backend.test.ts';

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

const request = {
  model: 'm',
  messages: [{ role: 'user', content: 'Weather in Paris?' }],
  tools: [weather],
};

/** A proxy in front of a server that answers every request with the same bytes. */
async function behind(bytes: string | Buffer, type = 'application/json', headers = {}) {
  const events: ProxyEvent[] = [];
  const backend = await startRawBackend((_, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(bytes);
  });
  const proxy = await createProxy({
    backend: { url: backend.url },
    port: 0,
    onEvent: (event) => events.push(event),
  });
  const close = async () => {
    await proxy.close();
    await backend.close();
  };
  return { proxy, backend, events, close };
}

async function post(proxy: RunningProxy, body: object, path = '/v1/chat/completions') {
  const response = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { response, text: await response.text() };
}

const odd = `{ "id":"x",  "object":"chat.completion", "unknown": {"a":[1.50, 2e3]}, "created":7,
  "choices":[{"index":0,"logprobs":{"content":[{"token":"a","logprob":-0.10}]},"weird":true,
  "message":{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a-b","type":"function",
  "extra_content":{"sig":"s"},"function":{"name":"get_weather","arguments":"{\\"city\\" :  \\"Paris\\"}"}}]},
  "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
  "completion_tokens_details":{"reasoning_tokens":1}},"system_fingerprint":"fp","timings":{"ms":1.25}}`;

describe('a clean reply leaves byte for byte as it came', () => {
  it('with ids, log probabilities, usage details, unknown fields and text beside the call', async () => {
    const { proxy, events, close } = await behind(odd, 'application/json', { 'x-own': 'kept' });
    after(close);
    const { response, text } = await post(proxy, request);
    assert.equal(text, odd);
    assert.equal(response.headers.get('x-own'), 'kept');
    assert.equal(response.headers.get('x-forge-outcome'), null);
    assert.equal(events[0]?.outcome, 'clean');
  });

  it('with the finish reason it has, be it length or content_filter', async () => {
    for (const reason of ['length', 'content_filter']) {
      const reply = `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Well"},"finish_reason":"${reason}"}]}`;
      const { proxy, backend, close } = await behind(reply);
      after(close);
      const { text } = await post(proxy, request);
      assert.equal(text, reply);
      assert.equal(backend.bodies.length, 1);
    }
  });

  it('with several choices, which nobody guards', async () => {
    const two = '{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}';
    const { proxy, events, close } = await behind(two);
    after(close);
    assert.equal((await post(proxy, { ...request, n: 2 })).text, two);
    assert.equal(events[0]?.outcome, 'passed');
  });

  it('and so does the request on its way to the backend', async () => {
    const { proxy, backend, close } = await behind(odd);
    after(close);
    const body =
      '{"model":"m" ,"messages":[{"role":"user","content":"caf\\u00e9 é"}],"top_k":1.0,"tools":[]}';
    await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body });
    assert.equal(backend.bodies[0], body);
  });

  it('but for the name of the model, where one is pinned', async () => {
    const backend = await startRawBackend((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(odd);
    });
    const proxy = await createProxy({ backend: { url: backend.url, model: 'pin"ned' }, port: 0 });
    after(async () => {
      await proxy.close();
      await backend.close();
    });
    const body = `{"tools":${JSON.stringify([weather])}, "model" : "other", "messages":[], "x":1.0}`;
    await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body });
    assert.equal(backend.bodies[0], body.replace('"other"', '"pin\\"ned"'));
  });
});

describe('a clean stream leaves frame for frame as it came', () => {
  const chunks = [
    '{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"odd":1.0}',
    '{"id":"x","choices":[{"index":0,"delta":{"content":"Let me "},"logprobs":{"content":[]}}]}',
    '{"id":"x","choices":[{"index":0,"delta":{"content":"<look>."}}]}',
    '{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get_weather","arguments":""}}]}}]}',
    '{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"city\\": "}}]}}]}',
    '{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"Paris\\"}"}}]}}]}',
    '{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"a":1}}',
    '[DONE]',
  ];

  it('however the bytes were cut', async () => {
    const whole = sse(...chunks);
    for (const size of [1, 7, 50, 1_000, 100_000]) {
      const backend = await startRawBackend(async (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let at = 0; at < whole.length; at += size) {
          response.write(whole.slice(at, at + size));
          if (size > 1) await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      });
      const proxy = await createProxy({ backend: { url: backend.url }, port: 0 });
      const { text } = await post(proxy, { ...request, stream: true });
      assert.equal(text, whole);
      await proxy.close();
      await backend.close();
    }
  });

  /** Their servers number every call 0, or none; most clients would make one call of several. */
  const misnumbered = new Set(['ollama-same-index.sse', 'gemini-no-index.sse']);

  it('for every stream recorded of a real server', async () => {
    const folder = new URL('../../models/src/wire/openai-chat/__fixtures__/', import.meta.url);
    const names = readdirSync(folder).filter((name) => /\.sse$|\.txt$/.test(name));
    assert.ok(names.length > 3, String(names));
    for (const name of names) {
      const bytes = readFileSync(new URL(name, folder));
      const { proxy, events, close } = await behind(bytes, 'text/event-stream');
      const named = bytes.toString().matchAll(/"name": ?"(\w+)"/g);
      const tools = Array.from(new Set(Array.from(named, ([, each]) => each)), (each) => ({
        type: 'function',
        function: { name: each, parameters: { type: 'object' } },
      }));
      const messages = [{ role: 'user', content: 'Go on.' }];
      const { text } = await post(proxy, { model: 'm', messages, tools, stream: true });
      await close();
      if (misnumbered.has(name)) {
        assert.equal(events[0]?.outcome, 'repaired', name);
        continue;
      }
      // The blank line after the last event is framing.
      assert.equal(text.trimEnd(), bytes.toString().trimEnd(), name);
      assert.match(events[0]?.outcome ?? '', /clean|passed/, name);
    }
  });
});
