import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { textOf } from '@forge/core';
import { calls } from '@forge/core/testing';
import {
  assembleReply,
  createNdjsonDecoder,
  createSseDecoder,
  type Wire,
  wires,
} from '@forge/models';
import { startScriptedServer } from '@forge/models/testing';
import { createProxy } from './create-proxy.ts';
import type { ProxyOptions } from './options.ts';
import type { ProxyEvent } from './proxy-event.ts';
import { sse, startRawBackend } from './raw-backend.test.ts';

const parameters = {
  type: 'object',
  properties: { query: { type: 'string' } },
  required: ['query'],
} as const;

/** A request to stream, with one tool, in the words of each wire. */
function asked(wire: Wire, toolChoice: 'auto' | 'required' = 'auto') {
  const body = wire.encodeRequest({
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
    tools: [{ name: 'search', description: 'Search', inputSchema: parameters }],
    toolChoice,
    settings: {},
    stream: true,
    extra: {},
  });
  return { body: JSON.stringify(body), path: wire.path({ model: 'm', stream: true }) };
}

async function between(url: string, options: Partial<ProxyOptions> = {}) {
  const events: ProxyEvent[] = [];
  const ended = Promise.withResolvers<ProxyEvent>();
  const proxy = await createProxy({
    port: 0,
    onBug: (error) => assert.fail(String(error)),
    ...options,
    backend: { ...options.backend, url },
    onEvent: (event) => {
      events.push(event);
      ended.resolve(event);
    },
  });
  after(() => proxy.close());
  const ask = async (wire: Wire, choice?: 'auto' | 'required', signal?: AbortSignal) => {
    const { body, path } = asked(wire, choice);
    const response = await fetch(proxy.url + path, {
      method: 'POST',
      body,
      signal: signal ?? null,
    });
    assert.ok(response.body);
    return { response, reader: response.body.pipeThrough(new TextDecoderStream()).getReader() };
  };
  return { ask, events, ended: ended.promise };
}

async function readAll(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  let all = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return all;
    all += value;
  }
}

async function readUntil(reader: ReadableStreamDefaultReader<string>, mark: RegExp) {
  let all = '';
  while (!mark.test(all)) {
    const { value, done } = await reader.read();
    if (done) assert.fail(`ended before ${mark}: ${all}`);
    all += value;
  }
  return all;
}

/** What a client of that wire makes of a stream. */
function heard(wire: Wire, stream: string) {
  const framing = wire.framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
  const decoder = wire.createStreamDecoder();
  const frames = [...framing.push(Buffer.from(stream)), ...framing.end()];
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  return assembleReply(events, wire.name);
}

const chat = wires['openai-chat'];
const delta = (value: object, more: object = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: value, ...more }] });
const finish = [delta({}, { finish_reason: 'stop' }), '[DONE]'];

describe('bytes flow while we watch', () => {
  for (const wire of Object.values(wires)) {
    it(`text comes before the reply is over: ${wire.name}`, async () => {
      const goOn = Promise.withResolvers<void>();
      const server = await startScriptedServer({
        wire,
        script: [
          {
            say: 'One two three four five six seven eight nine ten eleven twelve.',
            chunkDelay: (chunk) => (chunk.includes('twelve') ? goOn.promise : undefined),
          },
        ],
      });
      after(() => server.close());
      const { ask } = await between(server.url, { backend: { url: '', wire: wire.name } });
      const { reader } = await ask(wire);
      const early = await readUntil(reader, /three/);
      assert.doesNotMatch(early, /twelve/);
      goOn.resolve();
      assert.match(await readAll(reader), /twelve/);
    });
  }

  it('no more is held than what could begin a call', async () => {
    const goOn = Promise.withResolvers<void>();
    const backend = await startRawBackend(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(delta({ content: 'It is so: ' }), delta({ content: 'a <' })));
      await goOn.promise;
      response.end(sse(delta({ content: ' b, and that is all.' }), ...finish));
    });
    after(() => backend.close());
    const { ask } = await between(backend.url);
    const { reader } = await ask(chat);
    assert.doesNotMatch(await readUntil(reader, /It is so/), /a </);
    goOn.resolve();
    assert.match(await readAll(reader), /a <.*b, and/s);
  });

  it('of a call nothing goes out before it is right', async () => {
    const goOn = Promise.withResolvers<void>();
    const call = (args: string) =>
      delta({ tool_calls: [{ index: 0, function: { arguments: args } }] });
    const backend = await startRawBackend(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const head = {
        index: 0,
        id: 'a',
        type: 'function',
        function: { name: 'search', arguments: '' },
      };
      response.write(
        sse(delta({ content: 'I look.' }), delta({ tool_calls: [head] }), call('{"query":')),
      );
      await goOn.promise;
      response.end(sse(call('"x"}'), ...finish));
    });
    after(() => backend.close());
    const { ask, events } = await between(backend.url);
    const { reader } = await ask(chat);
    assert.doesNotMatch(await readUntil(reader, /I look/), /search/);
    goOn.resolve();
    assert.match(await readAll(reader), /search.*\\"x\\"/s);
    assert.equal(events[0]?.outcome, 'clean');
  });

  it('where a call is required, words wait for it', async () => {
    const server = await startScriptedServer({
      wire: chat,
      script: ['I will not.', calls(['search', { query: 'x' }])],
    });
    after(() => server.close());
    const { ask } = await between(server.url);
    const { response, reader } = await ask(chat, 'required');
    const all = await readAll(reader);
    assert.doesNotMatch(all, /I will not/);
    assert.match(all, /search/);
    assert.equal(response.headers.get('x-forge-outcome'), 'retried');
  });
});

describe('a stream that has to be asked for again', () => {
  for (const wire of Object.values(wires)) {
    it(`goes on from what is out, once the next reply is right: ${wire.name}`, async () => {
      const server = await startScriptedServer({
        wire: chat,
        script: [
          'Let me look that up for you. <tool_call>{"name": "search", "arguments": {"q": 1}}</tool_call>',
          calls(['search', { query: 'right' }]),
        ],
      });
      after(() => server.close());
      const { ask, ended } = await between(server.url);
      const { reader } = await ask(wire);
      const { content, finish } = heard(wire, await readAll(reader));
      assert.equal(textOf({ content }).trim(), 'Let me look that up for you.');
      const [call] = content.filter((part) => part.type === 'tool_call');
      assert.deepEqual(JSON.parse(String(call?.args)), { query: 'right' });
      assert.equal(finish, 'tool_calls');
      assert.equal((await ended).outcome, 'retried');
    });

    it(`is kept open meanwhile: ${wire.name}`, async () => {
      const goOn = Promise.withResolvers<void>();
      const server = await startScriptedServer({
        wire: chat,
        script: [
          'Wait for it. <tool_call>{"name": "search", "arguments": {"q": 1}}</tool_call>',
          { say: calls(['search', { query: 'right' }]), delay: () => goOn.promise },
        ],
      });
      after(() => server.close());
      const { ask } = await between(server.url, { limits: { heartbeat: 5 } });
      const { reader } = await ask(wire);
      await readUntil(
        reader,
        wire.framing === 'ndjson' ? /\n {2}/ : /(: waiting|"ping").*(: waiting|"ping")/s,
      );
      goOn.resolve();
      assert.match(await readAll(reader), /right/);
    });
  }

  it('says in a comment what was done, once the head is out', async () => {
    const server = await startScriptedServer({
      wire: chat,
      script: () => 'Look here. <tool_call>{"name": "search", "arguments": {"q": 1}}</tool_call>',
    });
    after(() => server.close());
    const { ask } = await between(server.url, { guard: { maxRetries: 0 } });
    const { reader } = await ask(chat);
    assert.match(
      await readAll(reader),
      /^: forge outcome=exhausted attempts=1 reason="bad_arguments"$/m,
    );
  });
});

describe('a client that leaves', () => {
  it('stops the backend: during the first reply, and during a retry', async () => {
    const server = await startScriptedServer({
      wire: chat,
      script: [
        { say: 'One two three four five six seven.', fault: { type: 'stall', afterBytes: 600 } },
        'Wait. <tool_call>{"name": "search", "arguments": {"q": 1}}</tool_call>',
        { fault: { type: 'stall' } },
      ],
    });
    after(() => server.close());
    const { ask, events } = await between(server.url, { limits: { heartbeat: 5 } });
    for (const [count, mark] of [/One/, /Wait\..*: waiting/s].entries()) {
      const gone = new AbortController();
      const { reader } = await ask(chat, 'auto', gone.signal);
      await readUntil(reader, mark);
      gone.abort();
      await server.untilAborted(count + 1);
    }
    assert.deepEqual(
      events.map(({ outcome }) => outcome),
      ['cancelled', 'cancelled'],
    );
  });

  it('before there is a head, too', async () => {
    const server = await startScriptedServer({
      wire: chat,
      script: [{ fault: { type: 'stall' } }],
    });
    after(() => server.close());
    const { ask, ended } = await between(server.url);
    const gone = new AbortController();
    const asking = assert.rejects(ask(chat, 'auto', gone.signal));
    while (server.exchanges.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await asking;
    await server.untilAborted();
    assert.equal((await ended).outcome, 'cancelled');
  });
});

describe('a backend that fails', () => {
  it('before the first piece has its own status, in the client’s shape', async () => {
    const server = await startScriptedServer({
      wire: chat,
      script: [{ fault: { type: 'status', status: 429, retryAfter: '7' } }],
    });
    after(() => server.close());
    const { ask } = await between(server.url);
    const { response, reader } = await ask(wires['anthropic-messages']);
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '7');
    assert.equal(JSON.parse(await readAll(reader)).error.type, 'rate_limit_error');
  });

  for (const wire of Object.values(wires)) {
    it(`in the middle ends the stream with an error: ${wire.name}`, async () => {
      const server = await startScriptedServer({
        wire: chat,
        script: [
          { say: 'One two three four five six seven.', fault: { type: 'reset', afterBytes: 700 } },
        ],
      });
      after(() => server.close());
      const { ask, ended } = await between(server.url);
      const { reader } = await ask(wire);
      assert.match(await readAll(reader), /error|failed/);
      const event = await ended;
      assert.deepEqual([event.outcome, event.error?.kind], ['failed', 'bad_response']);
    });
  }
});

it('a client that reads slowly slows the backend down, and nothing is lost', async () => {
  const piece = 'x'.repeat(64 * 1024);
  let written = 0;
  const backend = await startRawBackend(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (; written < 400; written++) {
      if (!response.write(sse(delta({ content: piece })))) await once(response, 'drain');
    }
    response.end(sse(...finish));
  });
  after(() => backend.close());
  const { ask } = await between(backend.url);
  const { reader } = await ask(chat);
  let size = (await reader.read()).value?.length ?? 0;
  // As long as nobody reads, the backend gets no further than the buffers in between.
  for (let before = -1; before !== written; ) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(written < 400, `${written} pieces are on the way`);
  size += (await readAll(reader)).length;
  assert.ok(size > 400 * piece.length);
});
