import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '@forge/core';
import { ModelError, wires } from '@forge/models';
import type { ProxyContext } from './proxy-context.ts';
import type { Outcome } from './proxy-event.ts';
import { PipedAnswer } from './reply/piped-answer.ts';
import { asModelError } from './reply/whole-answer.ts';
import { corsHeaders } from './server/cors.ts';
import { readRequestBody } from './server/read-request-body.ts';
import type { Route } from './server/routes.ts';
import { sendError } from './server/send-error.ts';

/** A path of the backend's own: everything goes by untouched, both ways. */
export function passThrough(
  context: ProxyContext,
  incoming: IncomingMessage,
  response: ServerResponse,
  route: Route,
) {
  const { backend, backendHeaders, settings } = context;
  const method = incoming.method ?? 'GET';
  const note = noter(context, method, route.path);
  const length = incoming.headers['content-length'];
  if (Number(length ?? 0) > settings.limits.bodyBytes) {
    const message = `The request is larger than ${settings.limits.bodyBytes} bytes.`;
    response.shouldKeepAlive = false;
    note(sendError(response, { error: { kind: 'bad_request', status: 413, message } }), 'refused');
    return;
  }
  const hasBody = length !== undefined || incoming.headers['transfer-encoding'] !== undefined;
  const headers = backendHeaders.headers(incoming.rawHeaders, {
    wire: undefined,
    search: route.search,
  });
  const answer = new PipedAnswer({
    response,
    onEnd: (status) => note(status, 'passed'),
    onFail: (error) => note(sendError(response, { error }), 'failed', error),
  });
  answer.call = backend.call(
    {
      method,
      path: route.path + backendHeaders.search(route.search),
      headers,
      body: hasBody ? incoming : undefined,
    },
    answer,
  );
  response.on('close', () => {
    if (response.writableFinished) return;
    answer.call?.abort();
    note(499, 'cancelled');
  });
}

/** Anthropic's count of a request's tokens, whatever the backend speaks. */
export function serveCount(
  context: ProxyContext,
  incoming: IncomingMessage,
  response: ServerResponse,
  route: Route,
) {
  if (context.backend.wire.name === 'anthropic-messages') {
    return passThrough(context, incoming, response, route);
  }
  const wire = wires['anthropic-messages'];
  const note = noter(context, 'POST', route.path);
  const headers = context.backendHeaders.headers(incoming.rawHeaders, {
    wire: wire.name,
    search: route.search,
  });
  const fail = (error: ModelError, outcome: Outcome) =>
    note(sendError(response, { error, wire }), outcome, error);
  const gone = new AbortController();
  response.on('close', () => {
    if (response.writableFinished) return;
    gone.abort();
    note(499, 'cancelled');
  });
  const { signal } = gone;
  readRequestBody(incoming, {
    limit: context.settings.limits.bodyBytes,
    onFault: (error) => fail(new ModelError(error), 'refused'),
    onLeave: () => note(499, 'cancelled'),
    onBody: (bytes) => {
      context
        .countTokens(parse(bytes), {
          ask: (path, body) => post(context, { path, body, headers, signal }),
          signal,
        })
        .then(({ body, by }) => {
          response.writeHead(200, [
            'content-type',
            'application/json',
            'content-length',
            String(Buffer.byteLength(body)),
            'x-forge-token-count',
            by,
            ...corsHeaders,
          ]);
          response.end(body);
          note(200, 'passed');
        })
        .catch((error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof ModelError)) context.onBug(error);
          fail(asModelError(error), error instanceof ModelError ? 'refused' : 'failed');
        });
    },
  });
}

/** A question of our own to the backend. Rejects if there is no answer, or nobody waits for it. */
function post(
  { backend, settings }: Pick<ProxyContext, 'backend' | 'settings'>,
  {
    path,
    body,
    headers,
    signal,
  }: {
    readonly path: string;
    readonly body: JsonObject;
    readonly headers: string[];
    readonly signal: AbortSignal;
  },
): Promise<{ readonly status: number; readonly body: string }> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    const call = backend.call(
      { method: 'POST', path, headers, body: JSON.stringify(body) },
      {
        head(code) {
          status = code;
        },
        data(chunk) {
          size += chunk.length;
          if (size <= settings.limits.replyBytes) chunks.push(chunk);
          else {
            call.abort();
            reject(
              new ModelError({ kind: 'bad_response', message: `${path} answered without end.` }),
            );
          }
        },
        end: () => resolve({ status, body: Buffer.concat(chunks).toString() }),
        fail: reject,
      },
    );
    signal.addEventListener('abort', () => {
      call.abort();
      reject(signal.reason);
    });
  });
}

/** Counts a request in, and tells once how it ended. */
function noter({ now, record, state }: ProxyContext, method: string, path: string) {
  const at = now();
  let isNoted = false;
  state.stats.begin();
  return (status: number, outcome: Outcome, error?: ModelError) => {
    if (isNoted) return;
    isNoted = true;
    record({
      at,
      took: now() - at,
      method,
      path,
      status,
      outcome,
      attempts: [],
      ...(error !== undefined && { error: { kind: error.kind, message: error.message } }),
    });
  };
}

function parse(bytes: Buffer): unknown {
  try {
    const body: unknown = JSON.parse(bytes.toString());
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined; // The counter says what is wrong with no object at all.
  }
}
