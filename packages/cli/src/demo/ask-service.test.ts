import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { askService, showRequest } from './ask-service.ts';

const { signal } = new AbortController();

describe('a request to the deployed service', () => {
  it('shows what came back, in one line, and follows nothing', async (t) => {
    const server = createServer((_, response) => {
      response.writeHead(302, { location: 'https://example.org/' });
      response.end('{"a": 1}\n\u001b[31mred\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status, text } = await askService(url, { method: 'GET', path: '/docs' }, signal);
    assert.equal(status, 302);
    assert.ok(text.startsWith('{"a": 1}'));
    assert.equal(text.includes('\u001b') || text.includes('\n'), false);
  });

  it('that nobody answers has status 0', async () => {
    const { status, text } = await askService(
      'http://127.0.0.1:1',
      { method: 'GET', path: '/' },
      signal,
    );
    assert.equal(status, 0);
    assert.match(text, /^nobody answers/);
  });

  it('is shown as one would type it', () => {
    assert.equal(showRequest({ method: 'POST', path: '/links', body: '{}' }), 'POST /links {}');
    assert.equal(showRequest({ method: 'GET', path: '/health' }), 'GET /health');
  });
});
