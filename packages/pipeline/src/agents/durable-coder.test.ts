import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { textOf } from '@forge/core';
import { calls, type Line, ScriptedModel } from '@forge/core/testing';
import { createRuntime, createWorker } from '@forge/runtime';
import { createProcessBackend } from '@forge/sandbox';
import { openStore } from '@forge/store';
import { codeSchema } from '../contracts.ts';
import { createWorkspaces } from '../workspaces/create-workspaces.ts';
import { recordedDeploy } from './agent-fixtures.test.ts';
import { createAgents } from './create-agents.ts';
import { createRunPort, eventsIn } from './create-run-port.ts';
import { git, makeFolder, makeRepository } from './git-fixtures.test.ts';

/** A process that works on runs: what it holds in memory is gone when it is stopped. */
async function openProcess(file: string) {
  const store = await openStore(file);
  const backend = createProcessBackend({ trusted: true });
  const workspaces = createWorkspaces({ store, backend: async () => backend });
  const runs = createRunPort(eventsIn(store));
  const agents = await createAgents({
    workspace: workspaces,
    deploy: recordedDeploy(),
    runs,
    sandbox: { backend: 'process', network: 'none', commandSeconds: 60 },
    checks: ['grep -q two a.txt'],
  });
  const work = (lines: readonly Line[]) =>
    createWorker({
      store,
      agents: [agents.codingAgent],
      model: new ScriptedModel(lines),
      onProblem: () => {},
    });
  const close = async () => {
    await workspaces.close();
    await backend.close();
    await store.close();
  };
  return { store, runtime: createRuntime({ store }), work, close };
}

describe('the coding agent, durably', () => {
  const made: string[] = [];
  after(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

  it('goes on in another process with its tree and its evidence, and ends with a branch', async () => {
    const { repo, base } = await makeRepository({ 'a.txt': 'one\n' });
    const folder = await makeFolder();
    made.push(repo, folder);
    const file = join(folder, 'runs.sqlite');

    const first = await openProcess(file);
    const labels = { 'forge.repo': repo, 'forge.base': base };
    const { id } = await first.runtime.launch('agent', 'Add two.', { labels });
    const asked = Promise.withResolvers<void>();
    const stuck: Line = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const worker = first.work([
      calls(['write', { path: 'a.txt', content: 'one\ntwo\n' }]),
      calls(['run_checks', {}]),
      stuck,
    ]);
    await asked.promise;
    await worker.stop({ grace: 0 });
    await first.close();

    const second = await openProcess(file);
    const next = second.work([calls(['finish', { summary: 'Added two.', message: 'Add two' }])]);
    const { status, state } = await second.runtime.ended(id);
    const results = (await second.store.events(id)).flatMap((event) =>
      'type' in event && event.type === 'tool.finished' ? [textOf(event)] : [],
    );
    await next.stop({ grace: 0 });
    await second.close();
    assert.equal(status, 'completed', results.join('\n'));
    const output = JSON.parse(state.output?.text ?? '');
    const code = codeSchema.parse(output);
    assert.deepEqual(code.files, ['a.txt']);
    assert.equal(output.branch, 'forge/add-two');
    assert.equal(git(repo, ['show', 'forge/add-two:a.txt']), 'one\ntwo');
    assert.equal(git(repo, ['log', '-1', '--format=%s', 'forge/add-two']), 'Add two');
    assert.equal(git(repo, ['status', '--short', '--branch']), '## main');
    assert.equal(git(repo, ['show', 'HEAD:a.txt']), 'one');
  });
});
