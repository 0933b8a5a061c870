import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '../agents/define-agent.ts';
import { run } from '../run/run.ts';
import { calls, ScriptedModel, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { freezeState, thawState } from './snapshot.ts';

const search = defineTool({
  name: 'search',
  description: '',
  input: { type: 'object', properties: { query: { type: 'string' } } },
  run: () => 'found',
});
const agent = defineAgent({ name: 'a', tools: [search] });

describe('a snapshot', () => {
  it('taken after any event goes on exactly as the state it was taken of', async () => {
    const model = new ScriptedModel([
      calls(['search', { query: 'a' }, '1'], ['nope', {}, '2']),
      calls(['search', { query: 'b' }, '3']),
      says('Done.'),
    ]);
    const { events } = await run(agent, 'Go.', { model, clock: () => 7 });
    for (let cut = 1; cut < events.length; cut++) {
      const state = fold(events.slice(0, cut));
      const thawed = thawState(freezeState(state));
      assert.ok(thawed);
      assert.deepEqual(decide(agent, thawed), decide(agent, state));
      const next = events[cut];
      assert.ok(next);
      assert.equal(freezeState(evolve(thawed, next)), freezeState(evolve(state, next)));
    }
  });

  it('that is none is not taken for one', () => {
    for (const text of ['', '{', '{}', '[]', 'null', '{"window":[]}']) {
      assert.equal(thawState(text), undefined, text);
    }
  });
});
