import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  request as ask,
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { ReverseProxy } from './reverse-proxy.ts';

async function listening(test: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function setUp(test: TestContext, listener?: RequestListener) {
  const proxy = new ReverseProxy();
  test.after(() => proxy.close());
  const { address } = await proxy.listen({ host: '127.0.0.1', port: 0 });
  const server = createServer(listener);
  const port = await listening(test, server);
  proxy.switchTo({ name: 'v1', port });
  return { proxy, server, port, publicPort: address.port, url: `http://127.0.0.1:${address.port}` };
}

async function read(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

/** What comes back to these bytes until the connection ends. */
async function say(port: number, text: string): Promise<string> {
  const raw = connect(port, '127.0.0.1');
  raw.write(text);
  let seen = '';
  for await (const chunk of raw) seen += chunk;
  return seen;
}

describe('the reverse proxy', { timeout: 600_000 }, () => {
  it('passes method, path, headers, body and status on as they are', async (test) => {
    const { url } = await setUp(test, async (request, response) => {
      const body = await read(request);
      response.writeHead(418, 'Short And Stout', [
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Seen', `${request.method} ${request.url}`],
      ]);
      response.end(`${request.headers['x-mine']}|${body}`);
    });
    const response = await fetch(`${url}/a%20b?c=d`, {
      method: 'PUT',
      body: 'content',
      headers: { 'x-mine': 'yes' },
    });
    assert.deepEqual([response.status, response.statusText], [418, 'Short And Stout']);
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal(response.headers.get('x-seen'), 'PUT /a%20b?c=d');
    assert.equal(await response.text(), 'yes|content');
  });

  it('tells who asked and keeps what belongs to one connection to itself', async (test) => {
    const { publicPort } = await setUp(test, (request, response) =>
      response.end(JSON.stringify(request.headers)),
    );
    const request = ask({
      ...{ host: '127.0.0.1', port: publicPort },
      headers: {
        ...{ host: 'shop.example', connection: 'close, x-hop', 'x-hop': '1', te: 'trailers' },
        'x-forwarded-for': '10.0.0.9',
      },
    }).end();
    const [response] = await once(request, 'response');
    const seen = JSON.parse(await read(response));
    assert.equal(seen.host, 'shop.example');
    assert.equal(seen['x-forwarded-for'], '10.0.0.9, 127.0.0.1');
    assert.equal(seen['x-forwarded-host'], 'shop.example');
    assert.deepEqual([seen['x-hop'], seen.te], [undefined, undefined]);
  });

  it('lets no client make it drop what says where a message ends, or who it is for', async (test) => {
    const { publicPort } = await setUp(test, async (request, response) =>
      response.end(`${request.method} ${request.headers.host} got ${await read(request)}`),
    );
    const said = await say(
      publicPort,
      'GET / HTTP/1.1\r\nHost: shop\r\nConnection: close, Content-Length, Host\r\nContent-Length: 32\r\n\r\nGET /other HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    assert.match(said, /^HTTP\/1.1 200 [\s\S]*GET shop got GET \/other HTTP\/1.1/);
  });

  it('serves a client of old that names no host', async (test) => {
    const { publicPort } = await setUp(test, (_, response) => response.end('served'));
    assert.match(await say(publicPort, 'GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 200 [\s\S]*served$/);
  });

  for (const [what, answer] of [
    ['a status that is none', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['words that may not be passed on', 'HTTP/1.1 200 \u0001\r\nContent-Length: 0\r\n\r\n'],
    [
      'another protocol, unasked',
      'HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    ],
  ] as const) {
    it(`makes 502 of ${what}`, async (test) => {
      const { server, url } = await setUp(test);
      server.removeAllListeners('connection');
      server.on('connection', (socket: Socket) => {
        test.after(() => socket.destroy());
        socket.once('data', () => socket.write(answer));
      });
      const response = await fetch(url);
      assert.equal(response.status, 502);
      assert.match(await response.text(), /The release v1 gave no answer that can be passed on/);
    });
  }

  it('passes a stream on piece by piece, in both directions', async (test) => {
    const { publicPort } = await setUp(test, (request, response) => {
      request.on('data', (chunk) => response.write(`got ${chunk}`));
      request.on('end', () => response.end());
    });
    const request = ask({ host: '127.0.0.1', port: publicPort, method: 'POST' });
    request.write('one');
    const [response] = await once(request, 'response');
    assert.equal(String((await once(response, 'data'))[0]), 'got one');
    request.write('two');
    assert.equal(String((await once(response, 'data'))[0]), 'got two');
    request.end();
    await once(response, 'end');
  });

  it('keeps the connection of a client over a switch', async (test) => {
    const { proxy, publicPort } = await setUp(test, (_, response) => response.end('v1'));
    const second = await listening(
      test,
      createServer((_, response) => response.end('v2')),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    test.after(() => agent.destroy());
    const get = async () => {
      const request = ask({ host: '127.0.0.1', port: publicPort, agent }).end();
      const [response] = await once(request, 'response');
      return { text: await read(response), reused: request.reusedSocket };
    };
    assert.deepEqual(await get(), { text: 'v1', reused: false });
    proxy.switchTo({ name: 'v2', port: second });
    assert.deepEqual(await get(), { text: 'v2', reused: true });
  });

  it('listens elsewhere as well until it leaves, or takes it back', async (test) => {
    const { proxy, publicPort } = await setUp(test, (_, response) => response.end('v1'));
    const there = async (port: number) =>
      await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } }).then(
        async (response) => await response.text(),
        () => 'nobody',
      );
    const taken = await proxy.listen({ host: '127.0.0.1', port: 0 });
    const both = [await there(publicPort), await there(taken.address.port)];
    await taken.undo();
    const first = [await there(publicPort), await there(taken.address.port)];
    const { address, leave } = await proxy.listen({ host: '127.0.0.1', port: 0 });
    leave();
    const second = [await there(publicPort), await there(address.port)];
    assert.deepEqual(
      [both, first, second],
      [
        ['v1', 'v1'],
        ['v1', 'nobody'],
        ['nobody', 'v1'],
      ],
    );
  });

  it('moves to another host on the same port, and stays where that cannot be had', async (test) => {
    const { proxy, publicPort, url } = await setUp(test, (_, response) => response.end('v1'));
    const nowhere = { host: '192.0.2.1', port: publicPort }; // An address of nobody, by RFC 5737.
    await assert.rejects(proxy.listen(nowhere), { code: 'EADDRNOTAVAIL' });
    assert.equal(await (await fetch(url)).text(), 'v1');
    const { leave } = await proxy.listen({ host: '0.0.0.0', port: publicPort });
    leave();
    assert.equal(await (await fetch(url)).text(), 'v1');
    assert.equal(proxy.address?.host, '0.0.0.0');
  });

  it('asks again when a connection it used again was closed at that moment', async (test) => {
    const sockets = new Set<Socket>();
    let asked = 0;
    const { url, server } = await setUp(test, (request, response) => {
      asked += 1;
      // The second request on a connection finds it closed, as after a timeout of the service.
      if (sockets.has(request.socket)) return request.socket.destroy();
      sockets.add(request.socket);
      return response.end('right');
    });
    server.keepAliveTimeout = 60_000;
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal(await (await fetch(url)).text(), 'right');
    }
    assert.ok(asked > 3, 'a connection was used again');
  });

  it('says which release does not answer, and that nothing is deployed', async (test) => {
    const { proxy, server, url } = await setUp(test, (_, response) => response.end());
    server.close();
    await once(server, 'close');
    const refused = await fetch(url);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [502, '1']);
    assert.match(await refused.text(), /The release v1 does not answer/);
    proxy.down('It is being started again.');
    const down = await fetch(url);
    assert.equal(down.status, 503);
    assert.equal(await down.text(), 'It is being started again.\n');
  });

  it('shows a cut answer as cut', async (test) => {
    const { url } = await setUp(test, (_, response) => {
      response.write('half');
      setImmediate(() => response.destroy());
    });
    await assert.rejects(async () => await (await fetch(url)).text());
  });

  it('lets go of the service when its client does', async (test) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { proxy, port, publicPort } = await setUp(test, (_, response) => {
      response.write('begin');
      response.once('close', resolve);
    });
    const request = ask({ host: '127.0.0.1', port: publicPort }).end();
    await once(request, 'response');
    const draining = proxy.drained(port, 10_000);
    request.destroy();
    await promise;
    assert.equal(await draining, true);
  });

  it('says whether requests are still on their way when the time is over', async (test) => {
    const { proxy, port, publicPort } = await setUp(test, (_, response) => response.write('x'));
    const request = ask({ host: '127.0.0.1', port: publicPort }).end();
    await once(request, 'response');
    assert.equal(await proxy.drained(port, 1), false);
    assert.equal(await proxy.drained(port + 1, 1), true);
    request.destroy();
  });

  it('passes a WebSocket on, and its bytes both ways', async (test) => {
    const { server, publicPort } = await setUp(test);
    server.on('upgrade', (request, socket) => {
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.pipe(socket); // Frames of a client are masked; bytes are enough here.
    });
    const client = new WebSocket(`ws://127.0.0.1:${publicPort}/live`);
    await new Promise((resolve, reject) => {
      client.addEventListener('open', resolve, { once: true });
      client.addEventListener('error', reject, { once: true });
    });
    client.close();
    const raw = connect(publicPort, '127.0.0.1');
    test.after(() => raw.destroy());
    raw.write(
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\nSec-WebSocket-Key: a\r\n\r\nearly',
    );
    let seen = '';
    raw.on('data', (chunk) => {
      seen += chunk;
    });
    while (!seen.endsWith('early')) await once(raw, 'data');
    assert.match(seen, /^HTTP\/1.1 101 /);
    raw.write('later');
    while (!seen.endsWith('later')) await once(raw, 'data');
  });

  it('passes the no to an upgrade back', async (test) => {
    const { publicPort } = await setUp(test, (_, response) => response.writeHead(403).end('no'));
    const wish = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
    assert.match(await say(publicPort, wish), /^HTTP\/1.1 403 [\s\S]*no/);
  });

  it('lets go of a client that was told no and does not close', async (test) => {
    const { proxy, port, publicPort, server } = await setUp(test, (_, response) =>
      response.writeHead(403).end('no'),
    );
    const wish = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
    for (const isThere of [true, false]) {
      if (!isThere) server.close();
      const raw = connect({ port: publicPort, host: '127.0.0.1', allowHalfOpen: true });
      test.after(() => raw.destroy());
      raw.write(wish);
      raw.resume();
      await once(raw, 'end');
      assert.equal(await proxy.drained(port, 2_000), true);
    }
  });

  it('passes the body on that comes with the wish for another protocol', async (test) => {
    const { publicPort } = await setUp(test, async (request, response) =>
      response.end(`got ${await read(request)}`),
    );
    const said = await say(
      publicPort,
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody',
    );
    assert.match(said, /^HTTP\/1.1 200 [\s\S]*got body/);
  });

  it('answers nonsense with 400', async (test) => {
    const { publicPort } = await setUp(test, (_, response) => response.end());
    assert.match(await say(publicPort, 'this is not HTTP\r\n\r\n'), /^HTTP\/1.1 400 /);
  });
});
