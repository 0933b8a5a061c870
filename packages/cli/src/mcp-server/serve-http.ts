import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ForgeError } from '@forge/core';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';

export interface HttpMcp {
  readonly url: string;
  close(): Promise<void>;
}

const path = '/mcp';

/**
 * Serves MCP over HTTP on the loopback: other machines come through a proxy that ends TLS. With a
 * token, every request has to carry it. Pages in a browser are kept out by the Host and Origin
 * headers.
 */
export async function serveHttp({
  newServer,
  port,
  token,
  onError,
}: {
  readonly newServer: () => McpServer;
  readonly port: number;
  readonly token: string | undefined;
  readonly onError: (error: Error) => void;
}): Promise<HttpMcp> {
  const mcp = createMcpHandler(newServer, { onerror: onError });
  const handle = toNodeHandler(mcp);
  const isHostFine = localhostHostValidation();
  const isOriginFine = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!isHostFine(request, response) || !isOriginFine(request, response)) return;
    if (!isKnown(request, token))
      return refuse(response, 401, 'Send the token: Authorization: Bearer …');
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== path) {
      return refuse(response, 404, `MCP is served at ${path}.`);
    }
    handle(request, response).catch((error: unknown) => {
      onError(error instanceof Error ? error : new Error(String(error)));
      if (!response.headersSent) refuse(response, 500, 'The request failed.');
      else response.destroy();
    });
  });
  await listen(server, port);
  const { port: given } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${given}${path}`,
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      await mcp.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  try {
    await promise;
  } catch (cause) {
    throw new ForgeError(
      'invalid_options',
      `Port ${port} cannot be listened on (${cause instanceof Error ? cause.message : cause}). Choose another with --http.`,
      { cause },
    );
  } finally {
    server.off('error', reject);
  }
}

function isKnown({ headers: { authorization } }: IncomingMessage, token: string | undefined) {
  if (token === undefined) return true;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization ?? ''), hash(`Bearer ${token}`));
}

function refuse(response: ServerResponse, status: number, error: string): void {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error }));
}
