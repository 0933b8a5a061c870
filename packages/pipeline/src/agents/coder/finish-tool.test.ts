import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { performTool, textOf } from '@forge/core';
import { createProcessBackend } from '@forge/sandbox';
import { makeRepository, plainWorkspace } from '../git-fixtures.test.ts';
import type { RunPort } from '../ports.ts';
import { finishTool } from './finish-tool.ts';

describe('finish', () => {
  it('does not take a tree that changes while it is committed', async () => {
    const { repo, base } = await makeRepository({ 'a.txt': 'one\n' });
    const backend = createProcessBackend({ trusted: true });
    const workspace = plainWorkspace({ repo, backend });
    workspace.begin('run', base);
    try {
      const change = async (name: string) => {
        const sandbox = await workspace.sandboxOf({ runId: 'run' });
        await sandbox.exec({ argv: ['touch', name] }).result;
      };
      await change('checked.txt');
      const { tree } = await workspace.keep('run', 'checked');
      const note = JSON.stringify({ tree, untouched: false, passed: true, checks: [] });
      const runs: RunPort = { inputOf: async () => 'x', resultsOf: async () => [['', note]] };
      let quick = true;
      const commit: typeof workspace.commit = async (...about) => {
        // A job in the background that is quicker than the commit.
        if (quick) await change('late.txt');
        return workspace.commit(...about);
      };
      const finish = finishTool({ workspace: { ...workspace, commit }, runs });
      const context = () => {
        const { signal } = new AbortController();
        return { runId: 'run', callId: 'c', idempotencyKey: 'k', signal };
      };
      const args = { summary: 's', message: 'm' };
      const refused = await performTool(finish, args, context());
      assert.equal(refused.outcome, 'not_found');
      assert.match(textOf(refused), /Files changed since the checks began/);
      quick = false;
      await (await workspace.sandboxOf({ runId: 'run' })).exec({ argv: ['rm', 'late.txt'] }).result;
      const taken = await performTool(finish, args, context());
      assert.deepEqual(JSON.parse(textOf(taken)).files, ['checked.txt']);
    } finally {
      await backend.close();
      await rm(repo, { recursive: true });
    }
  });
});
