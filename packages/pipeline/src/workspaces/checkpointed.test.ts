import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defineTool, type JsonObject, performTool, type Tool, ToolOutput, text } from '@forge/core';
import { createProcessBackend } from '@forge/sandbox';
import type { Store } from '@forge/store';
import { createTools } from '@forge/tools';
import * as z from 'zod';
import { createWorkspaces, type Workspaces } from './create-workspaces.ts';
import { runRef } from './run-ref.ts';
import { contextOf, Ground, git, inside, startRun } from './workspace-fixtures.test.ts';

const ground = new Ground();
const backend = createProcessBackend({ trusted: true });
const all: Workspaces[] = [];
let store: Store;
let count = 0;

before(async () => {
  store = await ground.store();
});
after(async () => {
  for (const each of all) await each.close();
  await backend.close();
  await store.close();
  ground.remove();
});

async function kit(more: (workspaces: Workspaces) => readonly Tool[] = () => []) {
  const { repo, head } = ground.repository({ a: 'a\n' });
  count += 1;
  const runId = `run-${count}`;
  await startRun(store, { id: runId, labels: { 'forge.repo': repo, 'forge.base': head } });
  const open = () => {
    const workspaces = createWorkspaces({ store, backend: async () => backend });
    all.push(workspaces);
    const own = createTools({ sandbox: workspaces.sandboxOf, aliases: true });
    const tools = workspaces.checkpointed([...own, ...more(workspaces)]);
    const call = async (name: string, args: JsonObject, signal?: AbortSignal) => {
      const tool = tools.find(({ spec }) => spec.name === name);
      assert.ok(tool, name);
      const { outcome, content } = await performTool(tool, args, contextOf(runId, signal));
      const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { outcome, said };
    };
    return { workspaces, call };
  };
  const files = () => {
    const ref = git(repo, 'for-each-ref', '--format=%(refname)', runRef(runId));
    return ref === '' ? undefined : git(repo, 'ls-tree', '--name-only', ref).split('\n');
  };
  return { runId, repo, files, open, ...open() };
}

describe('tools with checkpoints', () => {
  it('keep the tree before they give their result', async () => {
    const { call, files } = await kit();
    assert.equal((await call('write', { path: 'b', content: 'b\n' })).outcome, 'ok');
    assert.deepEqual(files(), ['a', 'b']);
    assert.equal((await call('shell', { command: 'echo c > c' })).outcome, 'ok');
    assert.deepEqual(files(), ['a', 'b', 'c']);
    assert.equal((await call('write_file', { path: 'd', content: 'd\n' })).outcome, 'ok');
    assert.deepEqual(files(), ['a', 'b', 'c', 'd']);
  });

  it('keep what a call changed before it failed', async () => {
    const { call, files } = await kit((workspaces) => [
      defineTool({
        name: 'half',
        description: 'Fails half way.',
        input: z.object({}),
        run: async (_, context) => {
          await inside(await workspaces.sandboxOf(context), 'echo x > half');
          throw new Error('no further');
        },
      }),
    ]);
    const { outcome, said } = await call('half', {});
    assert.deepEqual([outcome, said], ['error', '[ToolError] Error: no further']);
    assert.deepEqual(files(), ['a', 'half']);
  });

  it('fail where what they changed could not be kept', async () => {
    const { workspaces, call, runId, files } = await kit((own) => [
      defineTool({
        name: 'end',
        description: 'Ends the sandbox.',
        input: z.object({}),
        run: async (_, context) => (await own.sandboxOf(context)).stop(),
      }),
    ]);
    const { outcome, said } = await call('end', {});
    assert.equal(outcome, 'error');
    assert.match(said, /It was done, but what it changed could not be kept: The sandbox ended/);
    assert.equal(files(), undefined);
    const next = await call('shell', { command: 'cat a' });
    assert.match(next.said, /^\[This is a new sandbox\..*\]\n.*a/s);
    assert.equal((await workspaces.sandboxOf({ runId })).state(), 'running');
  });

  it('keep nothing after a tool that only looks, by whatever name', async () => {
    const { workspaces, call, runId, files } = await kit();
    await inside(await workspaces.sandboxOf({ runId }), 'echo b > b');
    for (const [name, args] of [
      ['read', { path: 'a' }],
      ['read_file', { path: 'a' }],
      ['list', {}],
      ['search_codebase', { pattern: 'x' }],
      ['git_status', {}],
    ] as const) {
      assert.equal((await call(name, args)).outcome, 'ok', name);
    }
    assert.equal(files(), undefined);
  });

  it('keep what background jobs do with every later call', async () => {
    const { workspaces, call, runId, files } = await kit();
    const command = 'until [ -e ../go ]; do sleep 0.05; done; echo done > by-job; sleep 30';
    await call('shell', { command, background: true });
    assert.equal(files(), undefined);
    const sandbox = await workspaces.sandboxOf({ runId });
    await inside(sandbox, 'touch ../go; until [ -s by-job ]; do sleep 0.05; done');
    assert.equal((await call('read', { path: 'by-job' })).outcome, 'ok');
    assert.deepEqual(files(), ['a', 'by-job']);
  });

  it('keep what an aborted call left with the next one, also one that only looks', async () => {
    const { call, files } = await kit((workspaces) => [
      defineTool({
        name: 'slow',
        description: 'Is aborted.',
        input: z.object({}),
        run: async (_, context) => {
          const sandbox = await workspaces.sandboxOf(context);
          await inside(sandbox, 'echo x > left');
          abort.abort();
        },
      }),
    ]);
    const abort = new AbortController();
    assert.equal((await call('slow', {}, abort.signal)).outcome, 'cancelled');
    assert.equal((await call('read', { path: 'left' })).outcome, 'ok');
    assert.deepEqual(files(), ['a', 'left']);
  });

  it('share a keep where several end together', async () => {
    const { call, files } = await kit();
    const names = ['1', '2', '3', '4', '5'];
    const results = await Promise.all(names.map((path) => call('write', { path, content: path })));
    assert.ok(results.every(({ outcome }) => outcome === 'ok'));
    assert.deepEqual(files(), [...names, 'a']);
  });

  it('tell the model once that its sandbox is a new one, and leave other tools’ results alone', async () => {
    const answer = defineTool({
      name: 'answer',
      description: 'Gives JSON.',
      input: z.object({}),
      run: () => ({ right: true }),
    });
    const parts = defineTool({
      name: 'git_log',
      description: 'Gives parts.',
      input: z.object({}),
      run: () => new ToolOutput([text('one'), text('two')]),
    });
    const { call, open, runId } = await kit(() => [answer]);
    assert.doesNotMatch((await call('write', { path: 'b', content: 'b' })).said, /new sandbox/);
    const later = open();
    assert.equal((await later.call('answer', {})).said, '{"right":true}');
    const { said } = await later.call('shell', { command: 'ls' });
    assert.match(said, /^\[This is a new sandbox\./);
    assert.doesNotMatch((await later.call('shell', { command: 'ls' })).said, /new sandbox/);
    const last = open().workspaces;
    await last.sandboxOf({ runId });
    const [wrapped] = last.checkpointed([parts]);
    const value = await wrapped?.run?.({}, contextOf(runId));
    assert.ok(value instanceof ToolOutput);
    assert.match(JSON.stringify(value.content[0]), /new sandbox/);
    assert.deepEqual(value.content.slice(1), [text('one'), text('two')]);
  });

  it('pass on tools that are answered from outside as they are', async () => {
    const { workspaces } = await kit();
    const outside = defineTool({ name: 'ask', description: '', input: z.object({}) });
    assert.deepEqual(workspaces.checkpointed([outside]), [outside]);
  });
});
