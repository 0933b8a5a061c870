import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { serve } from '../testing/http-server.ts';
import { createBoundedFetch } from './bounded-fetch.ts';

const answering = (chunks: readonly string[], type: string) =>
  createBoundedFetch({
    url: 'https://e.com/mcp',
    headers: { 'x-key': 'secret' },
    mostMessageBytes: 20,
    fetch: async (_, init) =>
      new Response(streamOf(chunks), {
        headers: { 'content-type': type, 'x-sent': new Headers(init?.headers).get('x-key') ?? '' },
      }),
  });

function streamOf(chunks: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
}

const events = 'text/event-stream';

describe('createBoundedFetch', () => {
  it('gives up on a body that is too long', async () => {
    const send = answering(['x'.repeat(15), 'x'.repeat(15)], 'application/json');
    await assert.rejects(
      async () => (await send('https://e.com/mcp')).text(),
      /more than 20 bytes/,
    );
  });

  it('lets a stream of events go on, but no event be too long, however it is cut up', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 6 }),
        async (cuts) => {
          const split = (whole: string) => {
            const chunks: string[] = [];
            let rest = whole;
            for (const cut of cuts) {
              chunks.push(rest.slice(0, cut));
              rest = rest.slice(cut);
            }
            return [...chunks, rest].filter((chunk) => chunk !== '');
          };
          const fine = 'data: short\r\n\r\n'.repeat(5);
          assert.equal(await (await answering(split(fine), events)('https://e.com/')).text(), fine);
          const long = `${fine}data: one line\ndata: two lines\n\n`;
          const reading = answering(split(long), events)('https://e.com/').then((r) => r.text());
          await assert.rejects(reading, /more than 20 bytes/);
        },
      ),
    );
  });

  it('sends the headers to the own origin only', async () => {
    const send = answering([], 'text/plain');
    assert.equal((await send('https://e.com/other')).headers.get('x-sent'), 'secret');
    assert.equal((await send('https://login.e.com/')).headers.get('x-sent'), '');
  });

  it('follows redirects within an origin, with what was sent', async (test) => {
    const seen: unknown[] = [];
    const origin = await serve(test, ({ url, method, headers }, response, body) => {
      seen.push([method, url, headers['x-key'], body]);
      if (url === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
      else if (url === '/mcp/') response.writeHead(303, { location: 'done' }).end('moved');
      else response.end('here');
    });
    const send = createBoundedFetch({
      url: `${origin}/mcp`,
      headers: { 'x-key': 'secret' },
      mostMessageBytes: 20,
    });
    const response = await send(`${origin}/mcp`, { method: 'POST', body: '{}' });
    assert.equal(await response.text(), 'here');
    assert.deepEqual(seen, [
      ['POST', '/mcp', 'secret', '{}'],
      ['POST', '/mcp/', 'secret', '{}'],
      ['GET', '/mcp/done', 'secret', ''],
    ]);
  });

  it('follows none to another origin, and none for ever', async (test) => {
    const reached: (string | undefined)[] = [];
    const other = await serve(test, ({ url }, response) => {
      reached.push(url);
      response.end();
    });
    const origin = await serve(test, ({ url }, response) => {
      const location = { '/round': '/round', '/odd': 'http://[' }[url ?? ''] ?? `${other}/mcp`;
      response.writeHead(307, { location }).end();
    });
    const send = createBoundedFetch({
      url: `${origin}/mcp`,
      headers: { 'x-key': 'secret' },
      mostMessageBytes: 20,
    });
    const post = { method: 'POST', body: '{}' };
    await assert.rejects(
      send(`${origin}/mcp`, post),
      (error) => ForgeError.is(error, 'not_allowed') && error.message.includes(other),
    );
    await assert.rejects(send(`${origin}/round`, post), /more than 5 times/);
    await assert.rejects(send(`${origin}/odd`, post), /no address/);
    assert.deepEqual(reached, []);
  });
});
