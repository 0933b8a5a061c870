import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { defineAgent, defineTool } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { createRuntime, createWorker } from '@forge/runtime';
import { openStore, type Store } from '@forge/store';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';

const launcher = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const pay = defineTool({
  name: 'pay',
  description: 'Pay a bill',
  input: z.object({ amount: z.int() }),
  approval: true,
  run: ({ amount }) => `paid ${amount}`,
});
const payer = defineAgent({ name: 'payer', tools: [pay] });

let folder = '';
let file = '';
let store: Store;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forge-mcp-serve-'));
  file = join(folder, 'runs.db');
  store = await openStore(file);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function overStdio(...flags: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [launcher, 'mcp', 'serve', '--store', file, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
  return client;
}

async function overHttp(...flags: string[]) {
  const args = [launcher, 'mcp', 'serve', '--store', file, '--http', '0', ...flags];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, TOKEN: 'secret words' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = new URL((await lines.next()).value ?? '');
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

async function play(args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: folder });
  children.push(child);
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => parts.push(part));
  const code = await new Promise((done) => child.once('close', done));
  return { code, printed: Buffer.concat(parts).toString() };
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: args });
  assert.notEqual(isError, true, JSON.stringify(content));
  return z.record(z.string(), z.any()).parse(structuredContent);
}

describe('forge mcp serve', () => {
  it('starts a run, shows what it waits for, approves it, and shows its answer', async () => {
    const model = new ScriptedModel([calls(['pay', { amount: 40 }]), says('It is paid.')]);
    const worker = createWorker({ store, agents: [payer], model });
    const runtime = createRuntime({ store });
    const client = await overStdio();
    try {
      const { run_id } = await call(client, 'start_run', { agent: 'payer', input: 'Pay.' });
      await runtime.settled(run_id);
      const waiting = await call(client, 'run_status', { run_id });
      assert.equal(waiting.status, 'waiting_for_approval');
      assert.deepEqual(waiting.approvals[0].arguments, { amount: 40 });
      const [asked] = (await call(client, 'list_approvals', {})).approvals;
      await call(client, 'decide_approval', { approval_id: asked.id, approve: true });
      await runtime.ended(run_id);
      const ended = await call(client, 'run_status', { run_id });
      assert.deepEqual([ended.status, ended.answer], ['completed', 'It is paid.']);
      const listed = await call(client, 'list_runs', { states: ['completed'] });
      assert.deepEqual(
        listed.runs.map(({ id }: { id: string }) => id),
        [run_id],
      );
    } finally {
      await client.close();
      await worker.stop();
    }
  });

  it('starts the coding agent and the pipeline of the project it serves', async () => {
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
    const settings = 'name: shop\nmodel: scripted:m.yaml\nsandbox: { backend: bubblewrap }\n';
    writeFileSync(join(folder, 'forge.yaml'), settings);
    writeFileSync(join(folder, 'm.yaml'), 'scenes: [{ replies: [{ text: Done. }] }]\n');
    writeFileSync(join(folder, '.gitignore'), 'runs.db*\n');
    const client = await overStdio();
    const start = (agent: string, more = {}) =>
      client.callTool({ name: 'start_run', arguments: { agent, input: 'Add a thing.', ...more } });
    assert.match(JSON.stringify(await start('agent')), /not in a git repository/);
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'Begin');
    for (const agent of ['agent', 'pipeline']) {
      const { run_id } = await call(client, 'start_run', {
        agent,
        input: 'Add a thing.',
        id: agent,
      });
      const run = await store.run(run_id);
      assert.deepEqual([run?.id, run?.agent], [agent, `shop/${agent}`]);
      assert.equal(run?.labels['forge.repo'], realpathSync(folder));
    }
    await client.close();
  });

  it('finds what was remembered', async () => {
    await store.memory.remember({ scope: 'agent:a', key: 'tea', value: 'Likes green tea.' });
    const client = await overStdio('--read-only');
    const { facts } = await call(client, 'search_memory', { scope: 'agent:a', query: 'green' });
    assert.equal(facts[0].value, 'Likes green tea.');
    await client.close();
  });

  it('says what is wrong with a request, and goes on', async () => {
    const client = await overStdio();
    const { isError, content } = await client.callTool({
      name: 'run_status',
      arguments: { run_id: 'none' },
    });
    assert.equal(isError, true);
    assert.match(JSON.stringify(content), /not_found/);
    assert.ok((await client.listTools()).tools.length > 0);
    await client.close();
  });

  it('lets those look who may only look', async () => {
    const client = await overStdio('--read-only');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(names, ['run_status', 'list_runs', 'list_approvals', 'search_memory']);
    await client.close();
  });

  it('serves HTTP to those who send the token, and ends well', async () => {
    const server = await overHttp('--token-env', 'TOKEN');
    const { url } = server;
    assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
    const headers = { authorization: 'Bearer secret words' };
    const evil = { ...headers, origin: 'https://evil.example' };
    assert.equal((await fetch(url, { method: 'POST', body: '{}', headers: evil })).status, 403);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    assert.deepEqual(await call(client, 'list_runs', {}), { runs: [] });
    await client.close();
    assert.equal(await server.stop(), 0);
  });

  it('does not serve HTTP to everybody who is on this machine, but to look', async () => {
    const { code, printed } = await play([
      launcher,
      'mcp',
      'serve',
      '--store',
      file,
      '--http',
      '0',
    ]);
    assert.equal(code, 2);
    assert.match(printed, /--token-env, or --read-only/);
  });

  it('passes what the official suite asks of a server with tools of its own', async () => {
    const server = await overHttp('--read-only');
    const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];
    const suite = createRequire(import.meta.url).resolve(
      '@modelcontextprotocol/conformance/dist/index.js',
    );
    for (const scenario of scenarios) {
      const args = [suite, 'server', '--url', server.url.href, '--scenario', scenario];
      const { code, printed } = await play(args);
      assert.equal(code, 0, printed);
      assert.match(printed, /, 0 failed/);
    }
    assert.equal(await server.stop(), 0);
  });
});
