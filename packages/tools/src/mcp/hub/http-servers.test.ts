import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { serve, serveSessions } from '../testing/http-server.ts';
import { call, openHub, published, soon, textOf, until } from '../testing/open-hub.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function startEverything(test: TestContext, port: number): Promise<ChildProcess> {
  const { command, args } = published('server-everything', 'streamableHttp');
  const child = spawn(command, args, {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  test.after(() => child.kill('SIGKILL'));
  for await (const chunk of child.stderr ?? []) if (String(chunk).includes('listening')) break;
  return child;
}

describe('server-everything over HTTP', () => {
  it('is used like any other, and again after it was started anew', async (test) => {
    const port = await freePort();
    const child = await startEverything(test, port);
    const hub = await openHub(test, {
      servers: { all: { url: `http://127.0.0.1:${port}/mcp` } },
      // However long the server takes to come back.
      reconnect: { first: 20, longest: 100, attempts: 1_000_000 },
    });
    await hub.ready(soon());
    assert.equal(hub.servers()[0]?.protocol, '2025-11-25');
    assert.equal(textOf(await call(hub, 'all__echo', { message: 'hello' })), 'Echo: hello');

    child.kill('SIGKILL');
    await once(child, 'exit');
    await assert.rejects(call(hub, 'all__echo', { message: 'gone' }), /MCP server "all"/);
    assert.notEqual(hub.servers()[0]?.state, 'connected');
    await startEverything(test, port);
    await until(hub, () => hub.servers()[0]?.state === 'connected');
    assert.equal(textOf(await call(hub, 'all__echo', { message: 'back' })), 'Echo: back');
  });

  it('loses its sessions, as a bad request, and nobody notices', async (test) => {
    const port = await freePort();
    const child = await startEverything(test, port);
    const servers = {
      all: { url: `http://127.0.0.1:${port}/mcp`, timeouts: { keepAlive: 3_600_000 } },
    };
    const hub = await openHub(test, { servers });
    await hub.ready(soon());
    child.kill('SIGKILL');
    await once(child, 'exit');
    await startEverything(test, port);
    assert.equal(textOf(await call(hub, 'all__echo', { message: 'same' })), 'Echo: same');
  });
});

describe('a lost session', () => {
  for (const lostStatus of [404, 400]) {
    it(`told with status ${lostStatus} is begun anew once, for all callers`, async (test) => {
      const server = await serveSessions(test, { lostStatus });
      const hub = await openHub(test, { servers: { s: { url: server.url } } });
      await hub.ready(soon());
      server.sessions.clear();
      const answers = await Promise.all([1, 2, 3].map(() => call(hub, 's__echo')));
      assert.deepEqual(answers.map(textOf), ['in session-2', 'in session-2', 'in session-2']);
      const starts = server.received.filter(({ message }) => message.method === 'initialize');
      assert.equal(starts.length, 2);
    });
  }

  it('that is lost again at once is told, not tried for ever', async (test) => {
    const server = await serveSessions(test, {
      onCall: (message, response) => {
        server.sessions.clear();
        response.writeHead(404).end(JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null }));
        return true;
      },
    });
    const hub = await openHub(test, { servers: { s: { url: server.url } } });
    await hub.ready(soon());
    await assert.rejects(call(hub, 's__echo'), /MCP server "s"/);
    const calls = server.received.filter(({ message }) => message.method === 'tools/call');
    assert.equal(calls.length, 2);
  });

  it('is not what a closed connection means: the call is not repeated', async (test) => {
    const server = await serveSessions(test, {
      onCall: (_, response) => {
        response.destroy();
        return true;
      },
    });
    const hub = await openHub(test, { servers: { s: { url: server.url } } });
    await hub.ready(soon());
    await assert.rejects(call(hub, 's__echo'), /not known; it was not repeated/);
    const calls = server.received.filter(({ message }) => message.method === 'tools/call');
    assert.equal(calls.length, 1);
    await until(hub, () => hub.servers()[0]?.state === 'connected');
  });
});

describe('a server over HTTP', () => {
  it('gets the configured headers, and they are shown nowhere', async (test) => {
    const server = await serveSessions(test);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to it.
    const headers = { Authorization: 'Bearer ${env:TOKEN}' };
    const hub = await openHub(test, {
      servers: { s: { url: server.url, headers } },
      readVariable: (name) => (name === 'TOKEN' ? 'tok-12345' : undefined),
    });
    await hub.ready(soon());
    await call(hub, 's__echo');
    for (const { headers } of server.received)
      assert.equal(headers.authorization, 'Bearer tok-12345');
    assert.ok(!JSON.stringify(hub.servers()).includes('tok-12345'));
  });

  it('is not asked for ever for an answer it does not end', async (test) => {
    const server = await serveSessions(test, {
      onCall: (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => response.write('x'.repeat(1_000_000)) || response.once('drain', more);
        const timer = setInterval(more, 1);
        response.on('close', () => clearInterval(timer));
        return true;
      },
    });
    const hub = await openHub(test, { servers: { s: { url: server.url } } });
    await hub.ready(soon());
    await assert.rejects(call(hub, 's__echo'), /more than 10485760 bytes/);
  });

  it('that redirects elsewhere is not followed', async (test) => {
    const other = await serveSessions(test);
    const origin = await serve(test, (_, response) => {
      response.writeHead(307, { location: other.url }).end();
    });
    const hub = await openHub(test, { servers: { s: { url: `${origin}/mcp` } } });
    await hub.ready(soon());
    assert.equal(hub.servers()[0]?.state, 'failed');
    assert.equal(other.received.length, 0);
  });
});

describe('a server of the newest revision', () => {
  it('is spoken to without a session, is asked back, and tells of changes', async (test) => {
    let extra = false;
    const handler = createMcpHandler(
      () => {
        const server = new McpServer(
          { name: 'modern', version: '2' },
          { capabilities: { tools: { listChanged: true } } },
        );
        server.registerTool(
          'add',
          {
            description: 'Adds',
            inputSchema: z.object({ a: z.number(), b: z.number() }),
            outputSchema: z.object({ sum: z.number() }),
          },
          ({ a, b }) => ({
            content: [{ type: 'text', text: String(a + b) }],
            structuredContent: { sum: a + b },
          }),
        );
        if (extra) server.registerTool('more', { description: 'More' }, () => ({ content: [] }));
        return server;
      },
      { legacy: 'reject' },
    );
    const listener = toNodeHandler(handler);
    const origin = await serve(test, (request, response, body) => {
      void listener(request, response, body === '' ? undefined : JSON.parse(body));
    });
    const hub = await openHub(test, { servers: { m: { url: `${origin}/mcp` } } });
    await hub.ready(soon());
    assert.deepEqual(
      hub.servers().map(({ state, protocol, error }) => ({ state, protocol, error })),
      [{ state: 'connected', protocol: '2026-07-28', error: undefined }],
    );
    assert.match(textOf(await call(hub, 'm__add', { a: 2, b: 3 })), /^5\n\{"sum":5\}$/);
    extra = true;
    handler.notify.toolsChanged();
    await until(hub, () => hub.tools().some(({ spec }) => spec.name === 'm__more'));
  });

  it('says what to do where the token is not taken', async (test) => {
    const url = await serve(test, (_, response) => void response.writeHead(401).end());
    const servers = { closed: { url, headers: { authorization: 'Bearer wrong' } } };
    const hub = await openHub(test, { servers });
    await hub.ready(soon());
    assert.match(hub.servers()[0]?.error ?? '', /HTTP 401.*Check the token in its headers/);
  });
});
