import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { httpCheckSchema } from '../../contracts.ts';
import { addressOf, askService } from './http-request.ts';

describe('a request to the deployed service', () => {
  const other = createServer((_, response) => response.end('from elsewhere'));
  let elsewhere = '';
  const server = createServer((request, response) => {
    switch (request.url) {
      case '/health':
        response.end('fine and well');
        return;
      case '/old':
        response.writeHead(302, { location: '/health' }).end();
        return;
      case '/away':
        response.writeHead(302, { location: elsewhere }).end();
        return;
      case '/circle':
        response.writeHead(302, { location: '/circle' }).end();
        return;
      case '/huge':
        response.end('x'.repeat(3_000_000));
        return;
      case '/never':
        return;
      case '/echo':
        request.pipe(response.writeHead(201, { 'x-kind': String(request.headers['x-kind']) }));
        return;
      default:
        response.writeHead(404).end('\u001b[31mno\nsuch page');
    }
  });
  let url = '';
  before(async () => {
    for (const each of [server, other]) {
      await new Promise<void>((resolve) => {
        each.listen(0, '127.0.0.1', resolve);
      });
    }
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  });
  after(() => {
    for (const each of [server, other]) {
      each.closeAllConnections();
      each.close();
    }
  });

  const ask = (check: object, limits = {}) =>
    askService({ url, check: httpCheckSchema.parse(check) }, new AbortController().signal, limits);

  it('passes on the right status and texts', async () => {
    const answer = await ask({ path: '/health', includes: ['fine', 'well'] });
    assert.deepEqual(answer, {
      passed: true,
      got: '/health answered 200, body: fine and well',
    });
  });

  it('fails on another status or a missing text, and says which', async () => {
    const missing = await ask({ path: '/health', includes: ['bad'] });
    assert.deepEqual([missing.passed, /the body lacks "bad"/.test(missing.got)], [false, true]);
    const gone = await ask({ path: '/nope' });
    assert.deepEqual([gone.passed, /answered 404 \(expected 200\)/.test(gone.got)], [false, true]);
    assert.ok(!gone.got.includes('\u001b') && !gone.got.includes('\n'));
  });

  it('sends method, headers and body', async () => {
    const check = {
      method: 'POST',
      path: '/echo',
      body: 'hello',
      status: 201,
      includes: ['hello'],
    };
    assert.equal((await ask({ ...check, headers: { 'x-kind': 'y' } })).passed, true);
  });

  it('follows a redirect at home, and shows one that is expected', async () => {
    assert.equal((await ask({ path: '/old', includes: ['fine'] })).passed, true);
    assert.equal((await ask({ path: '/old', status: 302 })).passed, true);
    assert.equal((await ask({ path: '/circle' })).passed, false);
  });

  it('does not follow a redirect to another host', async () => {
    const answer = await ask({ path: '/away', includes: ['from elsewhere'] });
    assert.equal(answer.passed, false);
    assert.match(answer.got, /answered 302, to http/);
    assert.doesNotMatch(answer.got, /body: from elsewhere/);
  });

  it('reads no more of a body than it may', async () => {
    const answer = await ask({ path: '/huge', includes: ['y'] }, { maxBytes: 1_000 });
    assert.match(answer.got, /only the beginning of the body was read/);
  });

  it('gives up on a service that does not answer', async () => {
    const answer = await ask({ path: '/never' }, { timeoutMs: 50 });
    assert.deepEqual(answer, { passed: false, got: 'could not be asked: no answer within 50 ms' });
  });

  it('that is not there is a failed test, not an exception', async () => {
    const gone = { url: 'http://127.0.0.1:1', check: httpCheckSchema.parse({ path: '/' }) };
    const answer = await askService(gone, new AbortController().signal);
    assert.equal(answer.passed, false);
    assert.match(answer.got, /could not be asked/);
  });

  it('stops when the run is cancelled', async () => {
    const stop = new AbortController();
    const asked = askService(
      { url, check: httpCheckSchema.parse({ path: '/never' }) },
      stop.signal,
    );
    stop.abort();
    await assert.rejects(asked, { name: 'AbortError' });
  });

  it('never leaves the service, whatever the path', () => {
    const path = fc.oneof(
      fc.webPath(),
      fc.constantFrom('//evil.test/x', '/\\evil.test', '/@evil.test', '/..//evil.test', '/?#@e'),
      fc.string().map((text) => `/${text}`),
    );
    fc.assert(
      fc.property(path, fc.constantFrom('', '/', '/app'), (given, folder) => {
        const service = `http://127.0.0.1:4000${folder}`;
        assert.equal(addressOf(service, given).origin, 'http://127.0.0.1:4000');
      }),
    );
  });

  it('goes below the path of the service', () => {
    assert.equal(
      addressOf('https://x.test/app/', '/health?a=1').href,
      'https://x.test/app/health?a=1',
    );
  });
});
