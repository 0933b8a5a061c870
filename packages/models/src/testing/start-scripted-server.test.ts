import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { calls, type Line } from '@forge/core/testing';
import { ModelError } from '../wire/model-error.ts';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from './start-scripted-server.ts';

type Options = Partial<ScriptedServerOptions> & Pick<ScriptedServerOptions, 'script'>;

async function start(t: TestContext, options: Options): Promise<ScriptedServer> {
  const server = await startScriptedServer({ wire: 'openai-chat', ...options });
  t.after(() => server.close());
  return server;
}

function ask(server: ScriptedServer, body: unknown = {}, init: RequestInit = {}) {
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify({ ...request, ...Object(body) }),
    ...init,
  });
}

const stream = { stream: true };

describe('a scripted server', () => {
  it('says its lines in order and keeps what it was asked', async (t) => {
    // The lines of the kernel's own scripted model.
    const script: readonly Line[] = [
      'One.',
      calls(['add', { a: 1 }]),
      ({ messages }) => `${messages.length} messages`,
    ];
    const server = await start(t, { script });
    const replies = [];
    for (let turn = 0; turn < 3; turn++) replies.push(await (await ask(server)).json());
    const [first, second, third] = replies.map(({ choices }) => choices[0].message);
    assert.equal(first.content, 'One.');
    assert.deepEqual(second.tool_calls[0].function, { name: 'add', arguments: '{"a":1}' });
    assert.equal(third.content, '1 messages');
    assert.equal(server.requests[0]?.model, 'm');
    assert.equal(server.exchanges[0]?.path, '/v1/chat/completions');
    assert.deepEqual(JSON.parse(server.exchanges[0]?.body ?? '').messages, [
      { role: 'user', content: 'hi' },
    ]);
  });

  it('streams words one by one where the request asks for a stream', async (t) => {
    const server = await start(t, { script: ['One two three.'] });
    const response = await ask(server, stream);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const words = [...(await response.text()).matchAll(/"content":"([^"]+)"/g)];
    assert.deepEqual(
      words.map(([, word]) => word),
      ['One ', 'two ', 'three.'],
    );
  });

  it('answers a function of the request, and what it throws', async (t) => {
    const server = await start(t, {
      script: ({ messages }) => {
        assert.equal(messages.length, 2, 'two messages are expected');
        return 'never';
      },
    });
    const response = await ask(server);
    assert.equal(response.status, 502);
    assert.match(await response.text(), /two messages are expected/);
  });

  it('refuses for good when the script is spent', async (t) => {
    const server = await start(t, { script: ['Only this.'] });
    await (await ask(server)).text();
    for (let extra = 0; extra < 2; extra++) {
      const response = await ask(server);
      assert.equal(response.status, 400);
      assert.match(await response.text(), /has 1 lines and was asked for one more/);
    }
  });

  it('refuses what is no request of its wire, and other paths', async (t) => {
    const server = await start(t, { script: ['Never said.'] });
    assert.equal((await ask(server, '{"half')).status, 400);
    assert.equal((await ask(server, '[]')).status, 400);
    assert.equal((await fetch(`${server.url}/v1/elsewhere`)).status, 404);
    assert.equal(server.exchanges.length, 2);
    assert.equal(server.requests.length, 0);
    assert.equal((await ask(server)).status, 200);
  });

  it('tells its model and context window on the pages servers have for that', async (t) => {
    const server = await start(t, { script: [], model: 'tiny', contextLength: 4096 });
    const get = async (path: string, init?: RequestInit) =>
      (await fetch(server.url + path, init)).json();
    assert.equal((await get('/props')).default_generation_settings.n_ctx, 4096);
    assert.equal((await get('/v1/models')).data[0].max_model_len, 4096);
    assert.equal((await get('/v1/models/tiny')).max_input_tokens, 4096);
    assert.equal((await get('/v1beta/models/tiny')).inputTokenLimit, 4096);
    assert.equal((await get('/api/ps')).models[0].context_length, 4096);
    const shown = await get('/api/show', { method: 'POST', body: '{"model":"tiny"}' });
    assert.equal(shown.model_info['scripted.context_length'], 4096);
    assert.match((await get('/api/version')).version, /scripted/);
  });

  it('says nothing of a window it was not given', async (t) => {
    const server = await start(t, { script: [] });
    const { data } = await (await fetch(`${server.url}/v1/models`)).json();
    assert.equal('max_model_len' in data[0], false);
  });
});

describe('a fault', () => {
  it('waits before the head and between chunks, by the clock it was given', async (t) => {
    const waits: number[] = [];
    const server = await start(t, {
      script: [{ say: 'a b', delay: 700, chunkDelay: 30 }],
      sleep: async (ms) => void waits.push(ms),
    });
    await (await ask(server, stream)).text();
    assert.equal(waits[0], 700);
    assert.ok(waits.length > 2 && waits.slice(1).every((ms) => ms === 30));
  });

  it('is an error of any kind, with the time to wait', async (t) => {
    const busy = new ModelError({ kind: 'rate_limited', message: 'Slow down.', retryAfter: 2500 });
    const server = await start(t, { script: [busy, new Error('boom')] });
    const refused = await ask(server);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '2.5');
    assert.match(await refused.text(), /Slow down/);
    assert.equal((await ask(server)).status, 502);
  });

  it('is any status, with the header and body it was given', async (t) => {
    const server = await start(t, {
      script: [
        { fault: { type: 'status', status: 529 } },
        { fault: { type: 'status', status: 429, retryAfter: 'Thu, 01 Jan 2026 00:00:00 GMT' } },
        { fault: { type: 'status', status: 500, body: 'out of memory' } },
        { fault: { type: 'html', status: 502 } },
      ],
    });
    const overloaded = await ask(server);
    assert.equal(overloaded.status, 529);
    assert.match(await overloaded.text(), /overloaded/);
    const limited = await ask(server);
    assert.match(limited.headers.get('retry-after') ?? '', /2026/);
    assert.equal(await (await ask(server)).text(), 'out of memory');
    const page = await ask(server);
    assert.match(page.headers.get('content-type') ?? '', /html/);
    assert.equal(page.status, 502);
  });

  it('sends what is no JSON, whole and streamed', async (t) => {
    const fault = { type: 'malformed_json' } as const;
    const server = await start(t, { script: [{ fault }, { fault }] });
    assert.equal(await (await ask(server)).text(), '{"half": "of an ob');
    assert.equal(await (await ask(server, stream)).text(), 'data: {"half": "of an ob\n\n');
  });

  it('sends bytes that are no text', async (t) => {
    const server = await start(t, { script: [{ fault: { type: 'malformed_bytes' } }] });
    const bytes = await (await ask(server)).bytes();
    assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  });

  it('cuts the body to the byte, as if that were all', async (t) => {
    const fault = { type: 'cut', afterBytes: 17 } as const;
    const server = await start(t, { script: [{ say: 'Hello.', fault }] });
    assert.equal((await (await ask(server)).bytes()).length, 17);
  });

  for (const type of ['hang_up', 'reset'] as const) {
    it(`breaks the connection before the head or after some bytes (${type})`, async (t) => {
      const server = await start(t, {
        script: [
          { say: 'Hello.', fault: { type } },
          { say: 'Hello.', fault: { type, afterBytes: 20 } },
        ],
      });
      await assert.rejects(ask(server));
      const response = await ask(server);
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
      assert.equal(server.aborted, 0, 'it was the server that left');
    });
  }

  it('promises more bytes than there are, or fewer', async (t) => {
    const server = await start(t, {
      script: [
        { say: 'Hello.', fault: { type: 'wrong_length', by: 10 } },
        { say: 'Hello.', fault: { type: 'wrong_length', by: -10 } },
      ],
    });
    await assert.rejects((await ask(server)).text());
    const short = await (await ask(server)).text();
    assert.throws(() => JSON.parse(short));
  });

  it('goes silent until the client leaves, and counts that', async (t) => {
    const server = await start(t, {
      script: [
        { say: 'Hello.', fault: { type: 'stall' } },
        { say: 'Hello you.', fault: { type: 'stall', afterBytes: 40 } },
      ],
    });
    const early = new AbortController();
    const first = ask(server, {}, { signal: early.signal });
    while (server.exchanges.length === 0) await new Promise((resolve) => setImmediate(resolve));
    early.abort();
    await assert.rejects(first);
    await server.untilAborted();
    const late = new AbortController();
    const response = await ask(server, stream, { signal: late.signal });
    const reader = response.body?.getReader();
    assert.equal((await reader?.read())?.value?.length, 40);
    late.abort();
    await server.untilAborted(2);
    assert.equal(server.aborted, 2);
  });
});

describe('closing', () => {
  it('tells what went wrong in the server itself', async () => {
    const server = await startScriptedServer({
      wire: 'openai-chat',
      script: [{ say: 'a b', chunkDelay: () => Promise.reject(new Error('a bug in the test')) }],
    });
    await assert.rejects((await ask(server, stream)).text());
    await assert.rejects(server.close(), /a bug in the test/);
    assert.equal(server.openSockets, 0);
  });

  it('leaves no socket open, whatever still goes on', async () => {
    const server = await startScriptedServer({
      wire: 'openai-chat',
      script: [
        'Done.',
        { say: 'Hello.', fault: { type: 'stall' } },
        { say: 'a b', chunkDelay: () => new Promise(() => {}) },
      ],
    });
    await (await ask(server)).text();
    const stalled = assert.rejects(ask(server));
    while (server.exchanges.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const streaming = await ask(server, stream);
    const cut = assert.rejects(streaming.text());
    assert.ok(server.openSockets > 0);
    await server.close();
    assert.equal(server.openSockets, 0);
    assert.equal(server.aborted, 0);
    await Promise.all([stalled, cut]);
    await assert.rejects(ask(server));
  });
});
