import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';

const folder = mkdtempSync(join(tmpdir(), 'forge-notes-'));
const file = fileURLToPath(new URL('main.ts', import.meta.url));
const token = 'a token for this test';
const child = spawn(process.execPath, [file, join(folder, 'notes.db')], {
  env: { ...process.env, NOTES_TOKEN: token },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let url = '';

const notesSchema = z.object({
  notes: z.array(z.object({ id: z.string(), title: z.string(), text: z.string() })),
});

function connect(bearer: string): { client: Client; open: () => Promise<void> } {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  return { client, open: () => client.connect(transport) };
}

before(async () => {
  for await (const line of createInterface({ input: child.stdout })) {
    url = line;
    break;
  }
});
after(async () => {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

describe('mcp-notes', () => {
  it('lets in who has the token, and nobody else', async () => {
    await assert.rejects(connect('another token').open());
    assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
  });

  it('keeps notes, finds them by their words, and changes them', async () => {
    const { client, open } = connect(token);
    await open();
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      return notesSchema.parse(structuredContent).notes;
    };
    try {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), [
        'create',
        'list',
        'read',
        'search',
        'update',
      ]);
      const [milk] = await call('create', { title: 'Shopping', text: 'Milk and bread' });
      await call('create', { title: 'Ideas', text: 'A boat of paper' });
      assert.ok(milk);
      assert.deepEqual(await call('search', { words: 'bread OR "' }), []);
      assert.equal((await call('search', { words: 'brea' }))[0]?.title, 'Shopping');
      await call('update', { id: milk.id, text: 'Milk' });
      assert.equal((await call('read', { id: milk.id }))[0]?.text, 'Milk');
      assert.equal((await call('list', { limit: 1 })).length, 1);
      const { isError } = await client.callTool({ name: 'read', arguments: { id: 'none' } });
      assert.equal(isError, true);
    } finally {
      await client.close();
    }
  });
});
