import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineTool, type RunEvent, run } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { replayLog } from './replay-log.ts';

const search = defineTool({
  name: 'search',
  description: 'Search',
  input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  run: () => 'found',
});
const agent = defineAgent({ name: 'finder', tools: [search] });

async function recorded(): Promise<readonly RunEvent[]> {
  const model = new ScriptedModel([
    calls(['search', { q: 'a' }, '1']),
    calls(['search', { query: 'a' }, '2']),
    says('Found.'),
  ]);
  const { events } = await run(agent, 'Find a.', { model });
  const kept: RunEvent[] = JSON.parse(JSON.stringify(events));
  return kept;
}

describe('a log gone through again', () => {
  it('leads the same agent to every decision it took', async () => {
    const events = await recorded();
    const { state, divergences } = replayLog(agent, events);
    assert.deepEqual(divergences, []);
    assert.equal(state.output?.text, 'Found.');
  });

  it('shows where another agent would have gone its own way', async () => {
    const events = await recorded();
    const strict = defineAgent({
      name: 'finder',
      tools: [{ ...search, needsApproval: () => true }],
    });
    const [first] = replayLog(strict, events).divergences;
    assert.equal(first?.recorded, 'reply.accepted');
    assert.deepEqual(first?.decided, ['reply.accepted']);
  });
});
