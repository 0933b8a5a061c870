import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { ModelError } from '../wire/model-error.ts';
import type { WireErrorKind } from '../wire/wire-error.ts';
import type { ClientOptions } from './client-options.ts';
import { createClient } from './create-client.ts';
import {
  collect,
  finish,
  hello,
  never,
  plainWire,
  says,
  sendEvents,
  sendJson,
  start,
  startTestServer,
  type TestServer,
  textReply,
} from './test-server.test.ts';

function clientOf(server: TestServer, options: Partial<ClientOptions> = {}) {
  const { url, transport } = server;
  return createClient({ wire: plainWire, baseUrl: url, model: 'm', transport, ...options });
}

function failsWith(kind: WireErrorKind, says: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof ModelError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, says);
    return true;
  };
}

describe('a whole reply', () => {
  it('is given without what only the wire knows', async (t) => {
    const server = await startTestServer(t, (response) =>
      sendJson(response, { ...textReply('hi'), id: 'r1', extra: { odd: 1 } }),
    );
    const client = clientOf(server);
    assert.deepEqual(await client.complete(hello, { signal: never }), {
      content: [{ type: 'text', text: 'hi' }],
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    const whole = await client.reply(hello, { signal: never });
    assert.deepEqual([whole.id, whole.extra], ['r1', { odd: 1 }]);
    assert.equal(server.requests[0]?.url, '/v1/chat');
    assert.equal(server.requests[0]?.method, 'POST');
    assert.equal(server.requests[0]?.headers['content-type'], 'application/json');
  });

  it('is told as deltas where streaming is off', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')));
    const deltas: unknown[] = [];
    const onDelta = (delta: unknown) => deltas.push(delta);
    await clientOf(server, { streaming: 'never' }).complete(hello, { signal: never, onDelta });
    assert.deepEqual(deltas, [{ type: 'text', text: 'hi' }]);
    assert.equal(server.bodies[0]?.stream, false);
  });

  it('carries its price', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')));
    const seen: unknown[] = [];
    const client = clientOf(server, {
      price: (call) => {
        seen.push(call);
        return 0.5;
      },
    });
    assert.equal((await client.complete(hello, { signal: never })).cost, 0.5);
    assert.deepEqual(seen, [{ model: 'm', usage: { inputTokens: 10, outputTokens: 5 } }]);
  });

  it('carries what the server says it cost, whatever the list says', async (t) => {
    const told = { ...textReply('hi'), cost: 0.25 };
    const server = await startTestServer(t, (response) => sendJson(response, told));
    const client = clientOf(server, { price: () => 0.5 });
    assert.equal((await client.complete(hello, { signal: never })).cost, 0.25);
  });
});

describe('a streamed reply', () => {
  it('gives the first event while the server still waits to send the rest', async (t) => {
    const heard = Promise.withResolvers<void>();
    const server = await startTestServer(t, async (response) => {
      sendEvents(response, [start, says('one ')]);
      await heard.promise;
      sendEvents(response, [says('two'), finish]);
      response.end();
    });
    const types: string[] = [];
    for await (const event of clientOf(server).stream(hello, { signal: never })) {
      types.push(event.type);
      if (event.type === 'text') heard.resolve();
    }
    assert.deepEqual(types, ['start', 'text', 'text', 'finish']);
  });

  it('becomes deltas and a reply', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('one '), says('two'), finish]);
      response.end();
    });
    const deltas: string[] = [];
    const reply = await clientOf(server).complete(hello, {
      signal: never,
      onDelta: (delta) => deltas.push(delta.text),
    });
    assert.deepEqual(deltas, ['one ', 'two']);
    assert.deepEqual(reply.content, [{ type: 'text', text: 'one two' }]);
    assert.equal(server.bodies[0]?.stream, true);
  });

  it('is understood when the server answers in one piece', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')));
    const events = await collect(clientOf(server).stream(hello, { signal: never }));
    assert.deepEqual(
      events.map((event) => event.type),
      ['start', 'text', 'finish'],
    );
  });

  it('is whole once it has finished, even if the connection then breaks', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('all'), finish]);
      setImmediate(() => response.destroy());
    });
    const reply = await clientOf(server, { streaming: 'always' }).complete(hello, {
      signal: never,
    });
    assert.deepEqual(reply.content, [{ type: 'text', text: 'all' }]);
  });

  it('that is cut is a bad response', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('half')]);
      setImmediate(() => response.destroy());
    });
    const asked = clientOf(server, { streaming: 'always' }).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /stopped in the middle/));
  });

  it('that ends early but politely is a bad response', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('half')]);
      response.end();
    });
    const asked = clientOf(server, { streaming: 'always' }).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /cut/));
  });

  it('may not grow without bound', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('x'.repeat(60)), says('x'.repeat(60)), finish]);
      response.end();
    });
    const client = clientOf(server, { streaming: 'always', maxReplyBytes: 100 });
    const asked = client.complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /longer than 100/));
  });
});

describe('stopping', () => {
  it('closes the socket when the caller aborts before the reply', async (t) => {
    const reached = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const server = await startTestServer(t, (response) => {
      response.on('close', () => closed.resolve());
      reached.resolve();
    });
    const stop = new AbortController();
    const asked = clientOf(server).complete(hello, { signal: stop.signal });
    await reached.promise;
    stop.abort(new Error('enough'));
    await assert.rejects(asked, /enough/);
    await closed.promise;
  });

  it('closes the socket when the caller aborts in the middle of a stream', async (t) => {
    const closed = Promise.withResolvers<void>();
    const server = await startTestServer(t, (response) => {
      response.on('close', () => closed.resolve());
      sendEvents(response, [start, says('one')]);
    });
    const stop = new AbortController();
    const onDelta = () => stop.abort(new Error('enough'));
    const asked = clientOf(server).complete(hello, { signal: stop.signal, onDelta });
    await assert.rejects(asked, /enough/);
    await closed.promise;
  });

  it('closes the socket when the reader leaves the stream', async (t) => {
    const closed = Promise.withResolvers<void>();
    const server = await startTestServer(t, (response) => {
      response.on('close', () => closed.resolve());
      sendEvents(response, [start, says('one')]);
    });
    for await (const event of clientOf(server).stream(hello, { signal: never })) {
      if (event.type === 'text') break;
    }
    await closed.promise;
  });

  it('does not send what was aborted before', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')));
    const signal = AbortSignal.abort(new Error('never mind'));
    await assert.rejects(clientOf(server).complete(hello, { signal }), /never mind/);
    await assert.rejects(collect(clientOf(server).stream(hello, { signal })), /never mind/);
    assert.equal(server.requests.length, 0);
  });

  it('gives up a request that waits for a connection', async (t) => {
    const reached = Promise.withResolvers<void>();
    const server = await startTestServer(t, () => reached.resolve(), { connections: 1 });
    const client = clientOf(server);
    const first = new AbortController();
    const second = new AbortController();
    const holding = client.complete(hello, { signal: first.signal });
    await reached.promise;
    const waiting = client.complete(hello, { signal: second.signal });
    second.abort(new Error('no longer'));
    await assert.rejects(waiting, /no longer/);
    first.abort(new Error('done'));
    await assert.rejects(holding, /done/);
    assert.equal(server.requests.length, 1);
  });
});

describe('time limits', () => {
  /** Timers that end when the test says so. */
  function manualTimers() {
    const running = new Map<number, () => void>();
    const started = new Map<number, PromiseWithResolvers<void>>();
    const waitFor = (ms: number) => {
      const entry = started.get(ms) ?? Promise.withResolvers<void>();
      started.set(ms, entry);
      return entry;
    };
    return {
      startTimer: (ms: number, onEnd: () => void) => {
        running.set(ms, onEnd);
        waitFor(ms).resolve();
        return () => running.delete(ms);
      },
      running,
      end: async (ms: number) => {
        await waitFor(ms).promise;
        running.get(ms)?.();
      },
    };
  }
  const timeouts = { firstToken: 1, stall: 2, total: 3 };

  it('has one for the first token', async (t) => {
    const timers = manualTimers();
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start]);
      void timers.end(1);
    });
    const client = clientOf(server, { timeouts, startTimer: timers.startTimer });
    const asked = collect(client.stream(hello, { signal: never }));
    await assert.rejects(asked, failsWith('timeout', /first-token timeout/));
    assert.equal(timers.running.size, 0);
  });

  it('has one for silence in the middle', async (t) => {
    const timers = manualTimers();
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('one')]);
      void timers.end(2);
    });
    const client = clientOf(server, { timeouts, startTimer: timers.startTimer });
    const asked = client.complete(hello, { signal: never, onDelta: () => {} });
    await assert.rejects(asked, failsWith('timeout', /stall timeout/));
    assert.equal(timers.running.size, 0);
  });

  it('has one for the whole', async (t) => {
    const timers = manualTimers();
    const server = await startTestServer(t, () => void timers.end(3));
    const client = clientOf(server, { timeouts, startTimer: timers.startTimer });
    const asked = client.complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('timeout', /total timeout/));
    assert.equal(timers.running.size, 0);
  });

  it('does not wait long for a server that has said all but does not end', async (t) => {
    const timers = manualTimers();
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('all'), finish]);
      void timers.end(1000);
    });
    const long = { firstToken: 10_000, stall: 20_000, total: 30_000 };
    const client = clientOf(server, { timeouts: long, startTimer: timers.startTimer });
    const reply = await client.complete(hello, { signal: never, onDelta: () => {} });
    assert.deepEqual(reply.content, [{ type: 'text', text: 'all' }]);
  });

  it('leaves no timer behind after a reply', async (t) => {
    const timers = manualTimers();
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [start, says('one'), finish]);
      response.end();
    });
    const client = clientOf(server, { timeouts, startTimer: timers.startTimer });
    await client.complete(hello, { signal: never, onDelta: () => {} });
    assert.equal(timers.running.size, 0);
  });
});

describe('what goes wrong', () => {
  it('is malformed JSON', async (t) => {
    const server = await startTestServer(
      t,
      (response) => response.end('{"content": [') && undefined,
    );
    await assert.rejects(clientOf(server).complete(hello, { signal: never }), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.body, '{"content": [');
      return failsWith('bad_response', /not JSON/)(error);
    });
  });

  it('is JSON of another shape', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, { fine: true }));
    const asked = clientOf(server).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /No content/));
  });

  it('is a web page, streamed or not', async (t) => {
    const server = await startTestServer(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><p>Welcome');
    });
    const page = failsWith('bad_response', /web page.*base URL/);
    await assert.rejects(clientOf(server).complete(hello, { signal: never }), page);
    await assert.rejects(collect(clientOf(server).stream(hello, { signal: never })), page);
  });

  it('is an empty body', async (t) => {
    const server = await startTestServer(t, (response) => void response.end());
    const asked = clientOf(server).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /empty body/));
  });

  it('is a body larger than allowed', async (t) => {
    const server = await startTestServer(t, (response) =>
      sendJson(response, textReply('x'.repeat(10_000))),
    );
    const client = clientOf(server, { maxReplyBytes: 1000 });
    const asked = client.complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /larger than 1000/));
  });

  it('is a body that stops in the middle', async (t) => {
    const server = await startTestServer(t, (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"content":');
      setImmediate(() => response.destroy());
    });
    const asked = clientOf(server).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('bad_response', /stopped in the middle/));
  });

  it('is a server that hangs up before it answers', async (t) => {
    const server = await startTestServer(t, (response) => void response.destroy());
    const asked = clientOf(server).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('unavailable', /connection .* failed/));
  });

  it('is a port nobody listens on', async (t) => {
    const server = await startTestServer(t, () => {});
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    const port = typeof address === 'object' ? address?.port : 0;
    free.close();
    await once(free, 'close');
    const client = clientOf(server, { baseUrl: `http://127.0.0.1:${port}` });
    const asked = client.complete(hello, { signal: never });
    await assert.rejects(
      asked,
      failsWith('unavailable', /Nothing listens at .*Is the server running/),
    );
  });

  it('is refused with what the wire reads from the body, without the key', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendJson(response, { error: 'wrong key sk-secret-1' }, 401);
    });
    const client = clientOf(server, {
      headers: { authorization: 'Bearer sk-secret-1' },
      authHint: 'Set SOME_KEY.',
    });
    await assert.rejects(client.complete(hello, { signal: never }), (error) => {
      assert.ok(error instanceof ModelError);
      assert.doesNotMatch(`${error.message}${error.body}`, /sk-secret/);
      assert.match(error.message, /Set SOME_KEY\.$/);
      assert.equal(error.status, 401);
      return failsWith('auth', /401/)(error);
    });
  });

  it('never tells the password of an address', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, {}, 500));
    const baseUrl = server.url.replace('http://', 'http://me:pass%20word@');
    await assert.rejects(
      clientOf(server, { baseUrl }).complete(hello, { signal: never }),
      (error) => {
        assert.ok(error instanceof ModelError);
        assert.doesNotMatch(error.message, /pass/);
        return true;
      },
    );
    const sent = server.requests[0]?.headers.authorization;
    assert.equal(sent, `Basic ${Buffer.from('me:pass word').toString('base64')}`);
  });

  it('is told by an event of the stream', async (t) => {
    const server = await startTestServer(t, (response) => {
      sendEvents(response, [
        start,
        { type: 'error', error: { kind: 'overloaded', message: 'Full.' } },
      ]);
      response.end();
    });
    const asked = collect(clientOf(server).stream(hello, { signal: never }));
    await assert.rejects(asked, failsWith('overloaded', /Full/));
  });

  it('is an error under a success status', async (t) => {
    const server = await startTestServer(t, (response) =>
      sendJson(response, { error: { code: 429, message: 'slow down' } }),
    );
    const asked = clientOf(server).complete(hello, { signal: never });
    await assert.rejects(asked, failsWith('rate_limited', /429/));
  });

  it('is a wrong base URL, told at once', () => {
    assert.throws(() => createClient({ wire: plainWire, baseUrl: 'localhost:80', model: 'm' }), {
      code: 'invalid_options',
    });
  });
});

describe('connections', () => {
  it('are kept for the next request', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')));
    const client = clientOf(server);
    for (let i = 0; i < 8; i++) await client.complete(hello, { signal: never });
    // The pool may open a second one while the first is still being put back.
    assert.ok(server.sockets.size <= 2, `${server.sockets.size} connections`);
  });

  it('are bounded', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')), {
      connections: 2,
    });
    const client = clientOf(server);
    const asked = Array.from({ length: 8 }, () => client.complete(hello, { signal: never }));
    assert.equal((await Promise.all(asked)).length, 8);
    assert.ok(server.sockets.size <= 2);
  });
});

describe('settings', () => {
  it('of a call are merged over those of the client and change neither', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, textReply('hi')));
    const settings = Object.freeze({ temperature: 0.1, seed: 7 });
    const client = clientOf(server, { settings, reasoning: { effort: 'low' }, extra: { a: 1 } });
    const overrides = Object.freeze({
      settings: { temperature: 0.9, seed: undefined },
      reasoning: null,
      extra: { b: 2 },
    });
    await client.complete(hello, { signal: never, overrides });
    await client.complete(hello, { signal: never });
    const [first, second] = server.bodies;
    assert.deepEqual(first?.settings, { temperature: 0.9, seed: 7, stop: [] });
    assert.deepEqual([first?.reasoning, first?.a, first?.b], [null, 1, 2]);
    assert.deepEqual(second?.settings, { temperature: 0.1, seed: 7, stop: [] });
    assert.deepEqual([second?.reasoning, second?.a, second?.b], ['low', 1, undefined]);
  });
});
