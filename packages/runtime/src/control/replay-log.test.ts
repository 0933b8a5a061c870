import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineTool, type RunEvent, run } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { ground } from '../approvals/ground.test.ts';
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

  it('takes what the rules of the store said for no decision of the agent', async () => {
    const { rules, runtime, work, eventsOf } = await ground([agent]);
    await rules.add({ effect: 'deny', pattern: 'search(secret*)', scope: 'always', by: 'me' });
    work(new ScriptedModel([calls(['search', { query: 'secrets' }]), says('Denied.')]));
    await runtime.launch('finder', 'Find it.', { id: 'r' });
    await runtime.ended('r');
    const events = await eventsOf('r');
    assert.ok(events.some(({ type }) => type === 'approval.decided'));
    assert.deepEqual(replayLog(agent, events).divergences, []);
  });

  it('takes the question whether an interrupted call runs again for none either', async () => {
    let runs = 0;
    const slow = defineTool({
      name: 'slow',
      description: 'Hangs the first time.',
      input: { type: 'object' },
      run: () => (runs++ === 0 ? Promise.withResolvers<string>().promise : 'done'),
    });
    const waiter = defineAgent({ name: 'waiter', tools: [slow] });
    const { runtime, work, event, eventsOf, pending } = await ground([waiter]);
    const first = work(new ScriptedModel([calls(['slow', {}])]));
    await runtime.launch('waiter', 'Go.', { id: 'r' });
    await event('r', 'tool.started');
    await first.stop({ grace: 0 });
    work(new ScriptedModel([says('Done.')]), { interrupted: 'ask_person' });
    await runtime.decide({ id: (await pending('r')).id, approved: true, by: 'me' });
    await runtime.ended('r');
    assert.deepEqual(replayLog(waiter, await eventsOf('r')).divergences, []);
  });
});
