import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createGuard,
  defineTool,
  freshProgress,
  type JsonObject,
  judgeReply,
  type Tool,
} from '@forge/core';
import * as z from 'zod';
import { searchToolsAbove } from './search-tools.ts';
import { createToolIndex } from './tool-index.ts';

const ran: JsonObject[] = [];
const tool = (name: string, description: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    description,
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, count: { type: 'integer' } },
      required: ['path'],
    },
    run: (args) => {
      ran.push(args);
      return `${name} ran`;
    },
  }),
  ...more,
});

const tools = [
  tool('fs__read_file', 'Reads a file from disk'),
  tool('fs__write_file', 'Writes text to a file', {
    needsApproval: ({ path }) => path !== '/tmp/x',
  }),
  tool('git__listBranches', 'Shows the branches of a repository'),
  tool('mail__send', 'Sends a message to a person', { denies: () => 'No mail today.' }),
];
const context = {
  runId: 'r',
  callId: 'c',
  idempotencyKey: 'k',
  signal: new AbortController().signal,
};

describe('the index of tools', () => {
  const index = createToolIndex(tools);
  const find = (query: string) => index.find(query, 3).map(({ spec }) => spec.name);

  it('puts the tool first that the words are about', () => {
    assert.equal(find('read a file')[0], 'fs__read_file');
    assert.equal(find('list branch')[0], 'git__listBranches');
    assert.equal(find('send mail to a person')[0], 'mail__send');
    assert.deepEqual(find('quantum'), []);
  });

  it('answers the same question the same way, whatever the order of the tools', () => {
    const other = createToolIndex([...tools].reverse());
    for (const query of ['file', 'text', 'a', 'the repository']) {
      assert.deepEqual(
        other.find(query, 4).map(({ spec }) => spec.name),
        index.find(query, 4).map(({ spec }) => spec.name),
      );
    }
  });
});

describe('searchToolsAbove', () => {
  const [find, use] = searchToolsAbove(3, tools);
  assert.ok(find?.run && use?.run);

  it('leaves a few tools as they are', () => {
    assert.equal(searchToolsAbove(4, tools), tools);
  });

  it('shows definitions, and says so when there are none', async () => {
    const found = await find.run?.({ query: 'write', limit: 1 }, context);
    assert.deepEqual(found, [tools[1]?.spec]);
    await assert.rejects(async () => find.run?.({ query: 'quantum' }, context), /Try other words/);
  });

  it('runs the real tool', async () => {
    assert.equal(
      await use.run?.({ name: 'fs__read_file', arguments: { path: 'a' } }, context),
      'fs__read_file ran',
    );
    assert.deepEqual(ran.at(-1), { path: 'a' });
  });

  it('asks for approval when the real tool does', () => {
    const write = (path: string) =>
      use.needsApproval({ name: 'fs__write_file', arguments: { path } });
    assert.equal(write('/etc/passwd'), true);
    assert.equal(write('/tmp/x'), false);
    assert.equal(use.needsApproval({ name: 'no such', arguments: {} }), true);
  });

  it('is denied what the real tool is denied', () => {
    assert.equal(use.denies?.({ name: 'mail__send', arguments: { path: 'x' } }), 'No mail today.');
    assert.equal(use.denies?.({ name: 'fs__read_file', arguments: { path: 'x' } }), undefined);
  });

  it('checks the arguments of the real tool in the guarded turn, and tells the model what is wrong', () => {
    const guard = createGuard({ tools: [find, use] });
    const judge = (args: JsonObject) =>
      judgeReply(
        guard,
        freshProgress,
        {
          content: [{ type: 'tool_call', id: '1', name: 'use_tool', args }],
          finish: 'tool_calls',
        },
        't',
      );
    const wrong = judge({ name: 'fs__read_file', arguments: { path: {} } });
    assert.equal(wrong.kind, 'retry');
    assert.match(JSON.stringify(wrong), /arguments.*path/);
    const unknown = judge({ name: 'fs__raed_file', arguments: {} });
    assert.match(JSON.stringify(unknown), /Did you mean fs__read_file/);
    assert.equal(judge({ name: 'fs__read_file', arguments: { path: 'a' } }).kind, 'execute');
  });

  it('mends arguments as the guarded turn would', async () => {
    await use.run?.({ name: 'fs__read_file', arguments: { path: 'a', count: '3' } }, context);
    assert.deepEqual(ran.at(-1), { path: 'a', count: 3 });
  });

  it('keeps tools in the open that the kernel counts or times by name', () => {
    const counted = tool('x__counted', 'x', { budget: { calls: 1, tools: ['x__counted'] } });
    const offered = searchToolsAbove(3, [...tools, counted]);
    assert.deepEqual(
      offered.map(({ spec }) => spec.name),
      ['x__counted', 'find_tools', 'use_tool'],
    );
  });

  it('takes Zod tools too', () => {
    const zod = defineTool({
      name: 'z',
      description: 'z',
      input: z.object({ n: z.number() }),
      run: () => 1,
    });
    const [, useZod] = searchToolsAbove(0, [zod]);
    assert.equal(useZod?.refine({ name: 'z', arguments: { n: 'x' } }).length, 1);
  });
});
