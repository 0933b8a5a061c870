import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { obeyBench } from '../obey-bench.ts';

/**
 * The least a proxy on node:http and undici can do, as well as we know how: connections kept on
 * both sides, no delay, a request read whole and sent in one write, a whole reply in one write, a
 * stream chunk by chunk, abort when the client leaves. It looks at nothing.
 */
const require = createRequire(new URL('../../../packages/proxy/src/index.ts', import.meta.url));
/** The same copy as the proxy's own. */
const { Pool }: typeof import('undici') = require('undici');

const hops = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length']);
const pool = new Pool(process.argv[2] ?? '', { connections: 256, pipelining: 1 });

function endToEnd(raw: readonly (string | Buffer)[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = text(raw[at]);
    if (!hops.has(name.toLowerCase())) kept.push(name, text(raw[at + 1]));
  }
  return kept;
}

const text = (value: string | Buffer | undefined) =>
  typeof value === 'string' ? value : (value?.toString('latin1') ?? '');

function forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse): void {
  let held: Buffer[] | undefined;
  pool.dispatch(
    {
      path: incoming.url ?? '/',
      method: incoming.method === 'GET' ? 'GET' : 'POST',
      headers: endToEnd(incoming.rawHeaders),
      body,
    },
    {
      onRequestStart(controller) {
        response.once('close', () => {
          if (!response.writableFinished) controller.abort(new Error('the client left'));
        });
      },
      onResponseStart(controller, status, headers) {
        const length = headers['content-length'];
        const raw = endToEnd(Array.isArray(controller.rawHeaders) ? controller.rawHeaders : []);
        if (typeof length === 'string') {
          held = [];
          raw.push('content-length', length);
        }
        response.writeHead(status, raw);
      },
      onResponseData(controller, chunk) {
        if (held !== undefined) held.push(chunk);
        else if (!response.write(chunk)) {
          controller.pause();
          response.once('drain', () => controller.resume());
        }
      },
      onResponseEnd() {
        if (held === undefined) response.end();
        else response.end(held.length === 1 ? held[0] : Buffer.concat(held));
      },
      onResponseError() {
        if (response.headersSent) response.destroy();
        else response.writeHead(502).end();
      },
    },
  );
}

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (incoming, response) => {
  response.sendDate = false;
  const parts: Buffer[] = [];
  incoming.on('data', (part: Buffer) => parts.push(part));
  incoming.on('end', () => {
    const [first] = parts;
    const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
    forward(incoming, whole, response);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
obeyBench();
