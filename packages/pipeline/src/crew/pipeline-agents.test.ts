import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Agent, defineAgent } from '@forge/core';
import { ScriptedModel, says } from '@forge/core/testing';
import { createRuntime, createWorker } from '@forge/runtime';
import { openStore } from '@forge/store';
import { checkPipeline, definePipeline } from '../definition/index.ts';
import { bareAgent } from './agent-names.ts';
import { pipelineAgents } from './pipeline-agents.ts';

const textIn = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const contracts = {
  writer: { input: textIn, output: textIn },
  checker: { input: textIn, output: textIn },
} as const;

const definition = definePipeline({
  name: 'write-and-check',
  input: textIn,
  nodes: {
    write: { agent: 'writer', input: { text: 'input.text' } },
    check: { agent: 'checker', input: { text: 'write.text' }, timeLimitMs: 5_000 },
  },
  edges: [{ from: 'write', to: 'check' }],
  output: { text: 'check.text' },
});

const agents = new Map<string, Agent>(
  ['writer', 'checker'].map((name) => [name, defineAgent({ name })]),
);
const crew = () =>
  pipelineAgents({
    project: 'letters',
    name: 'pipeline',
    pipeline: checkPipeline(definition, contracts),
    agents,
  });

describe('a pipeline as agents', () => {
  it('are of their project; a node with a time of its own has an agent of its own, as had one that lost it', () => {
    assert.deepEqual(
      crew().map(({ name, guard }) => [name, guard.limits.duration]),
      [
        ['letters/pipeline', Number.POSITIVE_INFINITY],
        ['letters/writer', Number.POSITIVE_INFINITY],
        ['letters/checker@check', 5_000],
        ['letters/writer@write', Number.POSITIVE_INFINITY],
      ],
    );
  });

  it('names the agents there are when a node names another', () => {
    assert.throws(
      () =>
        pipelineAgents({
          project: 'letters',
          name: 'pipeline',
          pipeline: checkPipeline(definition, contracts),
          agents: new Map([['writer', defineAgent({ name: 'writer' })]]),
        }),
      /There is no agent "checker"\. Agents: writer\./,
    );
  });

  it('run as durable runs, a child for each node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-crew-'));
    const store = await openStore(join(folder, 'runs.db'));
    const voices: Record<string, ScriptedModel> = {
      writer: new ScriptedModel([says('{"text":"Dear all"}')]),
      checker: new ScriptedModel([says('{"text":"Dear all."}')]),
    };
    const worker = createWorker({
      store,
      agents: crew(),
      model: ({ name }) => voices[bareAgent(name)] ?? new ScriptedModel([]),
    });
    after(async () => {
      await worker.stop({ grace: 0 });
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const runtime = createRuntime({ store });
    const { id } = await runtime.launch('letters/pipeline', '{"text":"Write."}');
    const { run, state } = await runtime.ended(id);
    assert.equal(run.state, 'completed', run.explanation);
    assert.deepEqual(JSON.parse(state.output?.text ?? '').output, { text: 'Dear all.' });
    const { items } = await store.runs({ parentId: id });
    assert.deepEqual(
      items.map(({ agent, state: end }) => [agent, end]),
      [
        ['letters/checker@check', 'completed'],
        ['letters/writer', 'completed'],
      ],
    );
    const { items: outcomes } = await store.outcomes({ rootId: id });
    assert.equal(outcomes.length, 3);
  });
});
