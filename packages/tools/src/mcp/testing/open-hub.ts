import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AskPerson, JsonObject, Tool, ToolOutput } from '@forge/core';
import { processesMarked } from '@forge/sandbox/owner';
import { createMcpHub } from '../hub/create-mcp-hub.ts';
import type { McpHubOptions } from '../hub/hub-options.ts';
import type { McpHub } from '../hub/mcp-hub.ts';
import { mcpFiles } from '../mcp-files.ts';

/** A folder that goes when the test ends. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-mcp-'));
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A hub on files of its own that is closed when the test ends. */
export async function openHub(
  test: TestContext,
  options: Partial<McpHubOptions> & { readonly folder?: string } = {},
): Promise<McpHub> {
  const { folder = temporaryFolder(test), ...rest } = options;
  const hub = await createMcpHub({
    places: mcpFiles(folder),
    readVariable: (name) => (name === 'PATH' ? '/usr/bin:/bin' : undefined),
    random: () => 0.5,
    reconnect: { first: 20, longest: 100 },
    ...rest,
  });
  test.after(() => hub.close());
  return hub;
}

const oddServer = fileURLToPath(new URL('__fixtures__/odd-server.mjs', import.meta.url));

/** The settings of a server with these habits. */
export function odd(...habits: string[]) {
  return { command: process.execPath, args: [oddServer, ...habits] };
}

/** The settings of one of the protocol's own servers, as published. */
export function published(name: string, ...args: string[]) {
  const manifest = createRequire(import.meta.url).resolve(
    `@modelcontextprotocol/${name}/package.json`,
  );
  return {
    command: process.execPath,
    args: [join(dirname(manifest), 'dist', 'index.js'), ...args],
  };
}

export function toolNamed(hub: McpHub, name: string): Tool {
  const tool = hub.tools().find(({ spec }) => spec.name === name);
  if (tool === undefined)
    throw new Error(`No tool ${name} among ${hub.tools().map(({ spec }) => spec.name)}`);
  return tool;
}

/** Calls a tool as a driver does, after its checks. */
export async function call(
  hub: McpHub,
  name: string,
  args: JsonObject = {},
  more: { readonly signal?: AbortSignal; readonly askPerson?: AskPerson } = {},
): Promise<ToolOutput> {
  const { signal } = new AbortController();
  const context = { runId: 'run', callId: 'call', idempotencyKey: 'key', signal, ...more };
  return (await toolNamed(hub, name).run?.(args, context)) as ToolOutput;
}

/** All text of a result, without the marks around it. */
export function textOf({ content }: ToolOutput): string {
  const all = content.map((part) => (part.type === 'text' ? part.text : `<${part.mediaType}>`));
  return all.join('\n').replace(/^<untrusted.*\n.*\n|\n<\/untrusted.*>$/gm, '');
}

/** Resolves when the hub comes to satisfy it. */
export async function until(hub: McpHub, isSo: () => boolean): Promise<void> {
  const news = new AbortController();
  const stop = hub.onChange(() => {
    if (isSo()) news.abort();
  });
  await untilTrue(isSo, news.signal).finally(stop);
}

/** Resolves when it is so, or was so when there were news. */
export async function untilTrue(isSo: () => boolean, news?: AbortSignal): Promise<void> {
  while (!isSo() && news?.aborted !== true) {
    await sleep(25, undefined, { signal: news }).catch(() => {});
  }
}

/** Everything alive that the hubs with their files in this folder have started. */
export function processesOf(folder: string): () => number[] {
  const marks = readdirSync(join(folder, 'mcp-processes')).map((name) => name.replace('.json', ''));
  return () => marks.flatMap((mark) => processesMarked(`FORGE_MCP_OWNER=${mark}/`));
}

export const soon = () => AbortSignal.timeout(300_000);
