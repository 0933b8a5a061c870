import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject, type ModelRequest, userMessage } from '@forge/core';
import * as z from 'zod';
import { ModelError } from '../wire/model-error.ts';
import type { StreamEvent, Wire, WireReply } from '../wire/wire.ts';
import { createTransport, type Transport } from './transport.ts';

/** A real server on loopback for one test. */
export interface TestServer {
  readonly url: string;
  readonly transport: Transport;
  /** Parsed bodies, in order. */
  readonly bodies: JsonObject[];
  readonly requests: IncomingMessage[];
  readonly sockets: Set<Socket>;
}

export type Answer = (
  response: ServerResponse,
  request: IncomingMessage,
  body: JsonObject,
) => void | Promise<void>;

export async function startTestServer(
  t: TestContext,
  answer: Answer,
  options: Parameters<typeof createTransport>[0] = {},
): Promise<TestServer> {
  const bodies: JsonObject[] = [];
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    const body = isJsonObject(parsed) ? parsed : {};
    bodies.push(body);
    requests.push(request);
    await answer(response, request, body);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = createTransport(options);
  t.after(async () => {
    await transport.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, transport, bodies, requests, sockets };
}

const eventSchema = z.custom<StreamEvent>((value) => isJsonObject(value) && 'type' in value);
const replySchema = z.custom<WireReply>((value) => isJsonObject(value) && 'content' in value);

/** A wire that says our own types as they are: what it carries is what was meant. */
export const plainWire: Wire = {
  name: 'openai-chat',
  framing: 'sse',
  path: () => '/v1/chat',
  encodeRequest: ({ model, settings, stream, messages, tools, extra, ...rest }) => ({
    model,
    settings: { ...settings, stop: [...(settings.stop ?? [])] },
    stream,
    texts: JSON.stringify(messages),
    tools: tools.map((tool) => tool.name),
    responseFormat: rest.responseFormat?.type ?? null,
    reasoning: rest.reasoning?.effort ?? null,
    ...extra,
  }),
  decodeRequest() {
    throw new Error('not needed');
  },
  encodeReply: () => ({}),
  decodeReply(body) {
    const parsed = replySchema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new ModelError({ kind: 'bad_response', message: 'No content.' });
  },
  createStreamDecoder() {
    let finished = false;
    return {
      push({ data }) {
        const parsed = eventSchema.safeParse(readJson(data));
        const event: StreamEvent = parsed.success
          ? parsed.data
          : { type: 'error', error: { kind: 'bad_response', message: 'Not an event.' } };
        finished ||= event.type === 'finish';
        return [event];
      },
      end: () =>
        finished
          ? []
          : [{ type: 'error', error: { kind: 'bad_response', message: 'The stream was cut.' } }],
    };
  },
  createStreamEncoder: () => ({ push: (event) => [{ data: JSON.stringify(event) }] }),
  decodeError({ status, body, headers }) {
    const kind =
      status === 401
        ? 'auth'
        : status === 429
          ? 'rate_limited'
          : status < 500
            ? 'bad_request'
            : 'unavailable';
    const seconds = headers['retry-after'];
    return {
      kind,
      message: `Refused with ${status}: ${body.slice(0, 80)}`,
      status,
      body,
      ...(seconds !== undefined && { retryAfter: Number(seconds) * 1000 }),
    };
  },
  encodeError: () => ({ status: 500, body: {} }),
};

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

export function sendEvents(response: ServerResponse, events: readonly StreamEvent[]) {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
}

export function textReply(text: string): WireReply {
  return {
    content: [{ type: 'text', text }],
    finish: 'stop',
    usage: { inputTokens: 10, outputTokens: 5 },
    extra: {},
  };
}

export const start: StreamEvent = { type: 'start', id: 'r1', model: 'm', extra: {} };
export const finish: StreamEvent = {
  type: 'finish',
  finish: 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
  extra: {},
};

export function says(text: string): StreamEvent {
  return { type: 'text', text };
}

export const hello: ModelRequest = {
  messages: [userMessage('hello')],
  tools: [],
  toolChoice: 'auto',
};

/** A signal nobody aborts. */
export const never = new AbortController().signal;

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
