import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { askOnce } from './ask-once.ts';
import { healthConfigSchema } from './health-check.ts';

const never = new AbortController().signal;

async function serve(test: TestContext, listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`;
}

describe('askOnce', { timeout: 600_000 }, () => {
  it('tells the right answer from the wrong one, and follows nobody elsewhere', async (test) => {
    const base = await serve(test, ({ url }, response) => {
      response.writeHead(url === '/well?a=b' ? 200 : 302, { location: '/well?a=b' }).end('x');
    });
    const ask = (path: string) => askOnce(base, healthConfigSchema.parse({ path }), never);
    assert.deepEqual(await ask('/well?a=b'), { right: true, got: '200' });
    assert.deepEqual(await ask('/'), { right: false, got: '302 instead of 200' });
  });

  it('asks at every port, also those that browsers keep away from', async (test) => {
    const ports = [6666, 6667, 6668, 6669, 10_080];
    for (const port of ports) {
      const base = await serve(test, (_, response) => response.end(), port).catch(() => undefined);
      if (base === undefined) continue; // Somebody has it.
      assert.equal((await askOnce(base, healthConfigSchema.parse({}), never)).right, true);
      return;
    }
    test.skip(`the ports ${ports.join(', ')} are taken`);
  });

  it('says that nobody listens, and that an answer takes too long', async (test) => {
    const refused = await askOnce('http://127.0.0.1:1', healthConfigSchema.parse({}), never);
    assert.deepEqual(refused, { right: false, got: 'connection refused' });
    const health = healthConfigSchema.parse({ request_timeout_s: 0.05 });
    const silent = await serve(test, () => {});
    const late = await askOnce(silent, health, never);
    assert.deepEqual(late, { right: false, got: 'no answer in 0.05 s' });
    await assert.rejects(askOnce(silent, health, AbortSignal.abort(new Error('stop'))), /stop/);
  });
});

describe('the path of a health check', () => {
  it('leads to the release and nowhere else', () => {
    for (const path of ['/', '/health', '/a/b?c=d&e=%20']) {
      assert.equal(healthConfigSchema.parse({ path }).path, path);
    }
    for (const path of ['', 'health', '//evil.example', '/\\evil.example', '/\t/evil.example']) {
      assert.equal(healthConfigSchema.safeParse({ path }).success, false, path);
    }
  });
});
