import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSchemaCache, ForgeError } from '@forge/core';
import { createLocalState } from './local-state.ts';
import type { ProxyOptions } from './options.ts';
import { serveOwnPage } from './own-pages.ts';
import type { ProxyContext } from './proxy-context.ts';
import { resolveSettings } from './proxy-settings.ts';
import { asModelError } from './reply/whole-answer.ts';
import { createToolSets } from './request/tool-sets.ts';
import { passThrough, serveCount } from './serve-other.ts';
import { serveReply } from './serve-reply.ts';
import { createAdmission } from './server/admission.ts';
import { createCallerCheck } from './server/check-caller.ts';
import { createKeyCheck, keyWanted } from './server/check-key.ts';
import { preflightHeaders } from './server/cors.ts';
import { createTokenCounter } from './server/count-tokens.ts';
import { guardServer } from './server/guard-server.ts';
import { createBackendHeaders } from './server/request-headers.ts';
import { type Route, routeOf } from './server/routes.ts';
import { sendError } from './server/send-error.ts';
import { serverOptions } from './server/server-options.ts';
import type { SharedState } from './shared-state.ts';
import { createBackend } from './upstream/backend.ts';

/** A proxy that listens. */
export interface RunningProxy {
  /** `http://127.0.0.1:8081` */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests and resolves when those at work are done, or `grace` milliseconds are over. */
  close(options?: { readonly grace?: number }): Promise<void>;
}

/** Schemas and sets of tools that are kept compiled. */
const keptSchemas = 4_096;
const keptToolSets = 256;
const keptToolBytes = 32 * 1024 * 1024;

/**
 * Starts a proxy in front of a model's server. Any client of OpenAI's, Anthropic's, Google's or
 * Ollama's API may use it, whatever the server speaks; requests with tools are guarded.
 *
 * @example
 * const proxy = await createProxy({ backend: { url: 'http://127.0.0.1:8080' } });
 * // OPENAI_BASE_URL=http://127.0.0.1:8081/v1
 * await proxy.close();
 */
export async function createProxy(
  options: ProxyOptions,
  state?: SharedState,
): Promise<RunningProxy> {
  const { now = Date.now, onEvent, onBug = () => {} } = options;
  const ownState = state === undefined ? await createLocalState({ ...options, now }) : undefined;
  const shared = state ?? ownState;
  if (shared === undefined) throw new Error('There is always a state.');
  const { lessons, stats } = shared;
  const settings = resolveSettings(options, lessons);
  const schemas = createSchemaCache({ max: keptSchemas });
  const compile = schemas.get.bind(schemas);
  const { limits, apiKey } = settings;
  const { wire } = settings.backend;
  const backend = createBackend({ ...settings.backend, connections: limits.concurrency });
  const context: ProxyContext = {
    settings,
    state: shared,
    backend,
    backendHeaders: createBackendHeaders({
      wire: wire.name,
      backendKey: settings.backend.apiKey,
      proxyKey: apiKey,
    }),
    admission: createAdmission(limits),
    toolSets: createToolSets({ max: keptToolSets, maxBytes: keptToolBytes, compile }),
    compile,
    bounds: { areSmall: false },
    countTokens: createTokenCounter({ wire: wire.name, model: settings.backend.model, now }),
    now,
    record(event) {
      stats.record(event);
      lessons?.observe(event);
      try {
        onEvent?.(event);
      } catch (error) {
        onBug(error);
      }
    },
    onBug,
  };
  const server = createServer(serverOptions(limits), createHandler(context));
  guardServer(server, limits);
  const { host, port } = settings;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, resolve);
    });
  } catch (error) {
    await Promise.all([backend.close(), ownState?.close()]);
    throw cannotListen(error, host, port);
  }
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    port: taken,
    async close({ grace = 10_000 } = {}) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // A connection that was busy becomes idle with its answer, and clients keep theirs open.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      const timer = setTimeout(() => server.closeAllConnections(), grace);
      await closed;
      clearInterval(sweep);
      clearTimeout(timer);
      await backend.close();
      await ownState?.close();
    },
  };
}

function createHandler(context: ProxyContext) {
  const { settings } = context;
  const checkCaller = createCallerCheck(settings);
  const checkKey = createKeyCheck(settings.apiKey);

  return (incoming: IncomingMessage, response: ServerResponse) => {
    const route = routeOf(incoming.method ?? 'GET', incoming.url ?? '/');
    const wire = route.type === 'reply' ? route.wire : undefined;
    const stranger = checkCaller(incoming);
    const refused =
      stranger ??
      (isPublic(route) ? undefined : checkKey({ headers: incoming.headers, search: route.search }));
    if (refused !== undefined) {
      incoming.resume();
      response.shouldKeepAlive = false;
      sendError(response, {
        error: refused,
        wire,
        headers: stranger === undefined ? keyWanted : [],
      });
      return;
    }
    if (/^websocket$/i.test(incoming.headers.upgrade ?? '')) {
      response.writeHead(426, { connection: 'close', 'content-type': 'application/json' });
      response.end('{"error":{"message":"This proxy speaks HTTP only. Use plain requests."}}');
      return;
    }
    switch (route.type) {
      case 'reply':
        return serveReply(context, incoming, response, route);
      case 'count_tokens':
        return serveCount(context, incoming, response, route);
      case 'own':
        serveOwnPage(context, response, route.page).catch((error: unknown) => {
          context.onBug(error);
          sendError(response, { error: asModelError(error) });
        });
        return;
      case 'redirect':
        response.writeHead(308, { location: route.to }).end();
        return;
      case 'preflight':
        response.writeHead(204, preflightHeaders(incoming.headers)).end();
        return;
      case 'pass':
        return passThrough(context, incoming, response, route);
      default:
        return route satisfies never;
    }
  };
}

/** What says nothing of what went through: the page itself (it asks for the key), and being alive. */
function isPublic(route: Route): boolean {
  if (route.type === 'own') return route.page === 'page' || route.page === 'health';
  return route.type === 'preflight' || route.type === 'redirect';
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new ForgeError(
      'invalid_options',
      `Port ${port} of ${host} is taken. Choose another one with --port.`,
      { cause: error },
    );
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new ForgeError(
      'invalid_options',
      `Cannot listen on ${host}, port ${port} (${code}). Choose others with --host and --port.`,
      { cause: error },
    );
  }
  return error;
}
