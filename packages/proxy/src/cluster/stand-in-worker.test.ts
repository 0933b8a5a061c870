import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ForgeError, freshProgress } from '@forge/core';
import type { RunningProxy } from '../create-proxy.ts';
import type { ProxyOptions } from '../options.ts';
import type { ProxyEvent } from '../proxy-event.ts';
import type { SharedState } from '../shared-state.ts';
import { runWorker } from './run-worker.ts';

/** What a request makes the stand-in do with the shared state; its answer is JSON. */
type Deed = (state: SharedState, query: URLSearchParams) => Promise<unknown>;

const monotonic = () => Number(process.hrtime.bigint());

const event: ProxyEvent = {
  at: 1,
  took: 5,
  method: 'POST',
  path: '/v1/chat/completions',
  wire: 'openai-chat',
  model: 'm',
  tools: 1,
  status: 200,
  outcome: 'clean',
  attempts: [{ rung: 'native', problems: [], mended: [] }],
};
const failing: ProxyEvent = {
  ...event,
  outcome: 'retried',
  attempts: [
    { rung: 'native', problems: ['unusable_call'], tone: 1, mended: [] },
    { rung: 'prompt', problems: [], mended: [], format: 'hermes' },
  ],
};

const deeds: Readonly<Record<string, Deed>> = {
  '/pid': async () => process.pid,
  /** Holds the slot for some turns of the loop, and says when. The clock is one for all processes. */
  '/hold': async ({ slot }, query) => {
    const hold = await slot?.acquire({ priority: Number(query.get('priority') ?? 0) });
    const from = monotonic();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    const to = monotonic();
    hold?.release();
    return { pid: process.pid, from, to };
  },
  /** Holds it for good. */
  '/keep': async ({ slot }) => {
    await slot?.acquire();
    return process.pid;
  },
  '/give-up': async ({ slot }) => {
    const signal = AbortSignal.timeout(20);
    const error = await slot?.acquire({ signal }).catch((reason: unknown) => reason);
    return error instanceof ForgeError ? error.code : 'granted';
  },
  '/save': async ({ sessions }, query) =>
    sessions?.save('key', { ...freshProgress, retries: Number(query.get('retries')) }),
  '/load': async ({ sessions }) => sessions?.load('key'),
  '/record': async ({ stats }, query) => {
    const what = query.has('failing') ? failing : event;
    for (let at = 0; at < Number(query.get('count')); at++) stats.record(what);
  },
  '/fail': async () => {
    throw new Error('a bug');
  },
  '/report': ({ stats }) => stats.report(),
  '/metrics': ({ stats }) => stats.metrics(),
  '/advise': async ({ lessons }) => lessons?.advise('m').mode,
  '/lessons': async ({ lessons }) => lessons?.all(),
};

/** A server with the face of the proxy. */
async function standIn(options: ProxyOptions, state: SharedState): Promise<RunningProxy> {
  let isClosing = false;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://worker');
    try {
      const answer = await deeds[pathname]?.(state, searchParams);
      if (isClosing) response.setHeader('connection', 'close');
      response.end(JSON.stringify({ answer, key: options.apiKey }));
    } catch (error) {
      options.onBug?.(error);
      response.statusCode = 503;
      response.end(JSON.stringify({ error: String(error) }));
    }
  });
  server.listen({ host: options.host, port: options.port });
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]) => {
      throw error;
    }),
  ]);
  const { port = 0 } = options;
  return {
    url: `http://${options.host}:${port}`,
    port,
    async close({ grace = 0 } = {}) {
      isClosing = true;
      const timer = setTimeout(() => server.closeAllConnections(), grace);
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
      clearTimeout(timer);
    },
  };
}

if (cluster.isWorker) await runWorker(standIn);
