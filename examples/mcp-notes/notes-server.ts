import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Note, Notes } from './notes.ts';

const title = z.string().min(1).max(200);
const text = z.string().max(100_000);
const limit = z.int().min(1).max(100).default(20);

const found = (notes: readonly Note[]) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(notes) }],
  structuredContent: { notes },
});
const one = (note: Note | undefined) =>
  note === undefined
    ? { content: [{ type: 'text' as const, text: 'There is no such note.' }], isError: true }
    : found([note]);

/** The tools of one client. Notes are all that the server keeps. */
function newServer(notes: Notes): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const add = server.registerTool.bind(server);
  add(
    'create',
    { description: 'Writes a new note', inputSchema: z.object({ title, text }) },
    (note) => one(notes.create(note.title, note.text)),
  );
  add(
    'read',
    {
      description: 'One note, by its id',
      inputSchema: z.object({ id: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ id }) => one(notes.read(id)),
  );
  add(
    'list',
    {
      description: 'Notes, the newest first',
      inputSchema: z.object({ limit }),
      annotations: { readOnlyHint: true },
    },
    (wanted) => found(notes.list(wanted.limit)),
  );
  add(
    'search',
    {
      description: 'Notes that have these words',
      inputSchema: z.object({ words: z.string(), limit }),
      annotations: { readOnlyHint: true },
    },
    ({ words, limit: most }) => found(notes.search(words, most)),
  );
  add(
    'update',
    {
      description: 'Changes a note; what is not given stays',
      inputSchema: z.object({ id: z.string(), title: title.optional(), text: text.optional() }),
      annotations: { idempotentHint: true },
    },
    ({ id, ...change }) => one(notes.update(id, change)),
  );
  return server;
}

/** Serves the notes of a file over HTTP on the loopback, to those who send the token. */
export async function startNotesServer({
  file,
  token,
  port = 0,
}: {
  readonly file: string;
  readonly token: string;
  readonly port?: number;
}): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const notes = new Notes(file);
  const mcp = createMcpHandler(() => newServer(notes));
  const handle = toNodeHandler(mcp);
  const isHostFine = localhostHostValidation();
  const hash = (words: string) => createHash('sha256').update(words).digest();
  const expected = hash(`Bearer ${token}`);
  const http = createServer((request, response) => {
    if (!isHostFine(request, response)) return;
    if (!timingSafeEqual(hash(request.headers.authorization ?? ''), expected)) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close: async () => {
      const closed = new Promise((done) => http.close(done));
      await mcp.close();
      http.closeAllConnections();
      await closed;
      notes.close();
    },
  };
}
