import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

export type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server on loopback for the time of a test. */
export async function serve(test: TestContext, handle: Handle): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => handle(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return `http://127.0.0.1:${address.port}`;
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

export interface SessionServer {
  readonly url: string;
  /** The sessions it knows. Clear it, and they are lost. */
  readonly sessions: Set<string>;
  /** Every message it was sent, with the headers it came with. */
  readonly received: { readonly message: Message; readonly headers: IncomingMessage['headers'] }[];
}

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
}

/** What a call of a tool does; true if it took care of the response itself. */
export type OnCall = (message: Message, response: ServerResponse) => boolean;

/** A server of the revision with sessions, which can lose them. */
export async function serveSessions(
  test: TestContext,
  { onCall = () => false, lostStatus = 404 }: { onCall?: OnCall; lostStatus?: number } = {},
): Promise<SessionServer> {
  const sessions = new Set<string>();
  const received: SessionServer['received'] = [];
  let made = 0;
  const origin = await serve(test, (request, response, body) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message: Message = JSON.parse(body);
    const session = request.headers['mcp-session-id'];
    received.push({ message, headers: request.headers });
    const { id, method } = message;
    if (method === 'initialize') {
      const fresh = `session-${++made}`;
      sessions.add(fresh);
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'sessions', version: '1' },
      };
      return sendJson(
        response,
        { jsonrpc: '2.0', id, result },
        { headers: { 'mcp-session-id': fresh } },
      );
    }
    if (typeof session !== 'string') {
      const error = { code: -32_601, message: 'unknown method' };
      return sendJson(response, { jsonrpc: '2.0', id, error });
    }
    if (!sessions.has(session)) {
      const error = { code: -32_001, message: 'Session not found' };
      return sendJson(response, { jsonrpc: '2.0', id: null, error }, { status: lostStatus });
    }
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list') {
      const tools = [{ name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } }];
      return sendJson(response, { jsonrpc: '2.0', id, result: { tools } });
    }
    if (method === 'tools/call' && onCall(message, response)) return;
    const result = { content: [{ type: 'text', text: `in ${session}` }] };
    sendJson(response, { jsonrpc: '2.0', id, result });
  });
  return { url: `${origin}/mcp`, sessions, received };
}
