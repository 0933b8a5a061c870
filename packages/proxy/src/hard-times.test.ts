import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createProxy } from './create-proxy.ts';
import type { ProxyOptions } from './options.ts';
import type { ProxyEvent } from './proxy-event.ts';
import { sse, startRawBackend } from './raw-backend.test.ts';

const path = '/v1/chat/completions';
const tools = [
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Search',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' } },
        required: ['query'],
      },
    },
  },
];
const asked = { model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools };
const delta = (value: object, more: object = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: value, ...more }] });
const finish = [delta({}, { finish_reason: 'stop' }), '[DONE]'];
const called = (args: object) => ({
  id: 'x',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'search', arguments: JSON.stringify(args) },
          },
        ],
      },
    },
  ],
});
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

async function set(
  answer: Parameters<typeof startRawBackend>[0],
  options: Partial<ProxyOptions> = {},
) {
  const backend = await startRawBackend(answer);
  const bugs: unknown[] = [];
  const over: ProxyEvent[] = [];
  const first = Promise.withResolvers<ProxyEvent>();
  const proxy = await createProxy({
    port: 0,
    onBug: (error) => bugs.push(error),
    ...options,
    backend: { ...options.backend, url: backend.url },
    onEvent: (event) => {
      over.push(event);
      first.resolve(event);
    },
  });
  after(async () => {
    await proxy.close({ grace: 0 });
    await backend.close();
  });
  const post = (body: object, more: RequestInit = {}, at = path) =>
    fetch(proxy.url + at, { method: 'POST', body: JSON.stringify(body), ...more });
  return { proxy, backend, bugs, over, post, firstEvent: first.promise };
}

/** A request on a bare connection that is not read. */
async function send(port: number, body: Buffer, headers = '') {
  const socket = connect(port, '127.0.0.1').pause();
  await once(socket, 'connect');
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n${headers}\r\n`;
  await new Promise((sent) => socket.write(Buffer.concat([Buffer.from(head), body]), sent));
  return socket;
}

describe('clients that leave or do not read', { timeout: 600_000 }, () => {
  it('a place is not lost to one that left while its body was unpacked', async () => {
    const { proxy, backend, firstEvent, post } = await set(
      (_, response) => response.writeHead(200, json).end(JSON.stringify(called({ query: 'x' }))),
      { limits: { concurrency: 1 } },
    );
    const body = gzipSync(JSON.stringify({ ...asked, padding: ' '.repeat(30_000_000) }));
    const socket = await send(proxy.port, body, 'content-encoding: gzip\r\n');
    socket.destroy();
    assert.equal((await firstEvent).outcome, 'cancelled');
    for (let asks = 1; asks <= 2; asks++) {
      const response = await fetch(proxy.url + path, {
        method: 'POST',
        body,
        headers: { 'content-encoding': 'gzip' },
      });
      assert.equal(response.status, 200);
    }
    assert.equal((await post(asked)).status, 200);
    assert.equal(backend.bodies.length, 3);
  });

  it('no heartbeat follows the end of a stream that is still being read', async () => {
    const answer = JSON.stringify({ word: 'word '.repeat(2_000_000) });
    const { proxy, firstEvent } = await set(
      (_, response) =>
        response
          .writeHead(200, events)
          .end(sse(delta({ content: `\`\`\`json\n${answer}\n\`\`\`` }), ...finish)),
      { limits: { heartbeat: 1, replyBytes: 2 ** 28 } },
    );
    const { tools: _, ...plain } = asked;
    const body = { ...plain, stream: true, response_format: { type: 'json_object' } };
    const socket = await send(proxy.port, Buffer.from(JSON.stringify(body)));
    assert.equal((await firstEvent).outcome, 'repaired');
    // Many heartbeats later everything stands.
    for (let asks = 0; asks < 20; asks++) {
      assert.equal((await fetch(`${proxy.url}/forge/health`)).status, 200);
    }
    socket.destroy();
  });

  it('one that leaves takes its count at the backend with it, and spoils no later one', async () => {
    const asks: string[] = [];
    const came = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const { post, firstEvent, bugs } = await set(({ request }, response) => {
      asks.push(request.url ?? '');
      if (asks.length > 1) return response.writeHead(200, json).end('{"input_tokens":7}');
      response.on('close', left.resolve);
      came.resolve();
    });
    const leave = new AbortController();
    const count = post(asked, { signal: leave.signal }, '/v1/messages/count_tokens');
    count.catch(() => {});
    await came.promise;
    leave.abort();
    await left.promise;
    assert.equal((await firstEvent).outcome, 'cancelled');
    const next = await post(asked, {}, '/v1/messages/count_tokens');
    assert.equal(next.headers.get('x-forge-token-count'), 'backend');
    assert.equal(await next.text(), '{"input_tokens":7}');
    assert.deepEqual(asks, ['/v1/messages/count_tokens', '/v1/messages/count_tokens']);
    assert.deepEqual(bugs, []);
  });

  it('one that leaves while a retry waits for the slot is no bug', async () => {
    const arrived: (() => void)[] = [];
    const next = () => new Promise<void>((resolve) => arrived.push(resolve));
    const answers: Record<string, PromiseWithResolvers<void>> = {
      low: Promise.withResolvers(),
      high: Promise.withResolvers(),
    };
    const { proxy, bugs, post, over } = await set(
      async ({ request }, response) => {
        arrived.shift()?.();
        await answers[String(request.headers['x-who'])]?.promise;
        response.writeHead(200, events);
        const { message } = called({}).choices[0] ?? {};
        const calls = message?.tool_calls.map((call) => ({ index: 0, ...call }));
        response.end(sse(delta({ tool_calls: calls }), ...finish));
      },
      { serialize: true },
    );
    const body = { ...asked, stream: true };
    const leave = new AbortController();
    const lowAsked = next();
    const low = post(body, { headers: { 'x-who': 'low' }, signal: leave.signal });
    low.catch(() => {});
    await lowAsked;
    const highAsked = next();
    const high = post(body, { headers: { 'x-who': 'high', 'x-forge-priority': '5' } });
    for (;;) {
      const health: unknown = await (await fetch(`${proxy.url}/forge/health`)).json();
      if (JSON.stringify(health).includes('"in_flight":2')) break;
    }
    answers.low?.resolve();
    await highAsked;
    leave.abort();
    answers.high?.resolve();
    await (await high).text();
    assert.deepEqual(bugs, []);
    assert.deepEqual(over.map(({ outcome }) => outcome).sort(), ['cancelled', 'exhausted']);
  });
});

describe('backends that end oddly', { timeout: 600_000 }, () => {
  it('a reply that was complete is not spoiled by how its connection ends', async () => {
    const { post, firstEvent } = await set((_, response) => {
      response.writeHead(200, events);
      response.write(sse(delta({ content: 'Hi.' }), ...finish), () => {
        setImmediate(() => response.destroy());
      });
    });
    const text = await (await post({ ...asked, stream: true })).text();
    assert.ok(text.endsWith('data: [DONE]\n\n'), text);
    assert.equal((await firstEvent).outcome, 'clean');
  });

  it('an error that goes by untouched is told with its reason', async () => {
    const overflow = {
      error: { code: 400, message: 'too many tokens', type: 'exceed_context_size_error' },
    };
    const { post, firstEvent } = await set((_, response) =>
      response.writeHead(400, json).end(JSON.stringify(overflow)),
    );
    const { tools: _, ...plain } = asked;
    const response = await post(plain);
    assert.deepEqual([response.status, await response.json()], [400, overflow]);
    const { outcome, status, error } = await firstEvent;
    assert.deepEqual([outcome, status, error?.kind], ['failed', 400, 'context_overflow']);
    assert.match(error?.message ?? '', /too many tokens/);
  });

  it('one that reports an error and goes on is not listened to any longer', async () => {
    const left = Promise.withResolvers<void>();
    const { post } = await set((_, response) => {
      response.on('close', left.resolve);
      response.writeHead(200, events);
      response.write(sse(delta({ content: 'Hi.' }), '{"error":{"message":"Out of memory."}}'));
    });
    const text = await (await post({ ...asked, stream: true })).text();
    assert.match(text, /Out of memory/);
    await left.promise;
  });

  for (const stream of [false, true]) {
    it(`a packed reply to a retry is read, ${stream ? 'streamed' : 'whole'}`, async () => {
      const replies = [called({}), called({ query: 'x' })];
      const { post, backend } = await set((_, response) => {
        const reply = replies[backend.bodies.length - 1];
        const call = reply?.choices[0]?.message.tool_calls.map((each) => ({ index: 0, ...each }));
        const body = stream ? sse(delta({ tool_calls: call }), ...finish) : JSON.stringify(reply);
        response.writeHead(200, { ...(stream ? events : json), 'content-encoding': 'gzip' });
        response.end(gzipSync(body));
      });
      const response = await post({ ...asked, stream });
      assert.equal(response.headers.get('x-forge-outcome'), 'retried');
      assert.match(await response.text(), /query/);
    });
  }

  it('an encoding named like something else is refused', async () => {
    const { post } = await set((_, response) =>
      response.writeHead(200, { ...events, 'content-encoding': 'constructor' }).end(sse(...finish)),
    );
    const response = await post({ ...asked, stream: true });
    assert.equal(response.status, 502);
    assert.match(await response.text(), /constructor, which was not asked for/);
  });
});

describe('requests at the edge', { timeout: 600_000 }, () => {
  it('a history only the backend can read costs no reply, whatever was asked before', async () => {
    const { post, bugs, backend } = await set(
      (_, response) => response.writeHead(200, json).end(JSON.stringify(called({}))),
      { sessions: true },
    );
    const odd = { ...asked, messages: [{ role: 'critic', tool_calls: 'none' }] };
    for (const body of [odd, asked, odd]) {
      const response = await post(body);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('x-forge-outcome'), 'exhausted');
    }
    assert.deepEqual(bugs, []);
    assert.equal(backend.bodies[0], JSON.stringify(odd));
  });

  it('a listener that throws does not harm the request', async () => {
    const { backend } = await set((_, response) =>
      response.writeHead(200, events).end(sse(delta({ content: 'Hi.' }), ...finish)),
    );
    const bugs: unknown[] = [];
    const proxy = await createProxy({
      port: 0,
      backend: { url: backend.url },
      onEvent: () => {
        throw new Error('of the listener');
      },
      onBug: (error) => bugs.push(String(error)),
    });
    after(() => proxy.close());
    const body = JSON.stringify({ ...asked, stream: true });
    const response = await fetch(proxy.url + path, { method: 'POST', body });
    assert.match(await response.text(), /DONE/);
    assert.deepEqual(bugs, ['Error: of the listener']);
  });

  it('a retry is asked for at the path the first was, whatever the client called it', async () => {
    const paths: unknown[] = [];
    const { post } = await set(({ request }, response) => {
      paths.push(request.url);
      response.writeHead(200, json).end(JSON.stringify(called({})));
    });
    await post({ ...asked, tool_choice: 'none' }, {}, '/chat/completions');
    await post(asked);
    await post({ ...asked, tools: undefined, max_tokens: 9 }, {}, '/v1/messages');
    assert.deepEqual([...new Set(paths)], [path]);
    assert.ok(paths.length > 3);
  });

  it('functions from before there were tools are seen going round in circles', async () => {
    const call = { name: 'search', arguments: '{"query":"x"}' };
    const message = { role: 'assistant', content: null, function_call: call };
    const { post, firstEvent } = await set((_, response) =>
      response
        .writeHead(200, json)
        .end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'function_call', message }] })),
    );
    const turn = [message, { role: 'function', name: 'search', content: 'Nothing.' }];
    const functions = tools.map((tool) => tool.function);
    const messages = [...asked.messages, ...turn, ...turn];
    await post({ model: 'm', messages, functions });
    assert.deepEqual((await firstEvent).attempts[0]?.problems, ['loop']);
  });

  it('a pinned model need not be named', async () => {
    const { post, backend } = await set(
      (_, response) => response.writeHead(200, json).end(JSON.stringify(called({ query: 'x' }))),
      { backend: { url: '', model: 'pinned' } },
    );
    const messages = asked.messages;
    const response = await post({ max_tokens: 9, messages }, {}, '/v1/messages');
    assert.equal(response.status, 200);
    assert.match(backend.bodies[0] ?? '', /"model":"pinned"/);
  });

  it('an answer held to a shape is streamed as what it means', async () => {
    const { post } = await set(
      (_, response) => {
        response.writeHead(200, events);
        for (const piece of ['{"next": {"ans', 'wer": "Hello ', 'there."}}']) {
          response.write(sse(delta({ content: piece })));
        }
        response.end(sse(...finish));
      },
      { guard: { constrain: 'always' } },
    );
    const text = await (await post({ ...asked, stream: true })).text();
    assert.match(text, /"content":"Hello there\."/);
    assert.doesNotMatch(text, /next/);
  });

  it('a client that demands a call is not offered words instead of one', async () => {
    const { post, backend } = await set(
      (_, response) => response.writeHead(200, json).end(JSON.stringify(called({ query: 'x' }))),
      { guard: { respondTool: true } },
    );
    await (await post({ ...asked, tool_choice: 'required' })).text();
    await (await post(asked)).text();
    assert.doesNotMatch(backend.bodies[0] ?? '', /respond/);
    assert.match(backend.bodies[1] ?? '', /"respond"/);
  });

  it('tools in the prompt need rescue', async () => {
    const options = { backend: { url: 'http://127.0.0.1:1', tools: 'prompt' as const }, port: 0 };
    await assert.rejects(
      createProxy({ ...options, guard: { switches: { rescue: false } } }),
      /read by rescue/,
    );
  });
});
