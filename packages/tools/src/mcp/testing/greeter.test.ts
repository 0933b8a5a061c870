import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import { serve } from './http-server.ts';

const form = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
};

/** A server that asks who is there and greets them, in whatever revision it is spoken to. */
export function createGreeter(): McpServer {
  const server = new McpServer({ name: 'greeter', version: '2' });
  server.registerTool('greet', { description: 'Greets' }, ({ mcpReq }) => {
    const answer = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'who');
    if (answer !== undefined) return { content: [{ type: 'text', text: `Hello ${answer.name}` }] };
    const who = inputRequired.elicit({ message: 'Who are you?', requestedSchema: form });
    return inputRequired({ inputRequests: { who } });
  });
  server.registerTool('visit', { description: 'Wants a page visited' }, () => {
    const page = inputRequired.elicitUrl({ message: 'Look.', url: 'javascript:alert(1)' });
    return inputRequired({ inputRequests: { page } });
  });
  return server;
}

/** Its settings as a local program. */
export function greeter() {
  const program = fileURLToPath(new URL('__fixtures__/greeter.mjs', import.meta.url));
  return { command: process.execPath, args: [program] };
}

/** Serves it on loopback and gives its address. */
export async function serveGreeter(
  test: TestContext,
  revision: 'newest' | 'older',
): Promise<string> {
  const handle = revision === 'newest' ? newest() : await older();
  const origin = await serve(test, (request, response, body) => {
    void handle(request, response, body === '' ? undefined : JSON.parse(body));
  });
  return `${origin}/mcp`;
}

function newest() {
  return toNodeHandler(createMcpHandler(createGreeter, { legacy: 'reject' }));
}

/** With a session, in which the server asks on the stream of the call. */
async function older() {
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await createGreeter().connect(transport);
  return transport.handleRequest.bind(transport);
}
