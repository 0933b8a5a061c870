import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineAgent, type Model, textOf } from '@forge/core';
import { calls, says } from '@forge/core/testing';
import { createMcpHub, mcpFiles } from '@forge/tools/mcp';

/** The protocol's own server with a bit of everything, as published. */
function everything() {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('@modelcontextprotocol/server-everything/package.json');
  return { command: process.execPath, args: [join(dirname(manifest), 'dist', 'index.js')] };
}

/** An agent with the tool of that server that asks a person, and who speaks for it. */
export async function createElicitation(folder: string) {
  const hub = await createMcpHub({
    places: mcpFiles(folder),
    servers: { all: everything() },
    readVariable: (name) => (name === 'PATH' ? '/usr/bin:/bin' : undefined),
    callersAskPeople: true,
  });
  await hub.ready(AbortSignal.timeout(60_000));
  const name = 'all__trigger-elicitation-request';
  const tools = hub.tools().filter(({ spec }) => spec.name === name);
  const model: Model = {
    id: 'scripted',
    async complete({ messages }) {
      const last = messages.at(-1);
      if (last?.role !== 'tool') return calls([name, {}, 'c']);
      return says(last.content.map(textOf).join('\n'));
    },
  };
  return { hub, model, agents: [defineAgent({ name: 'a', tools })] };
}
