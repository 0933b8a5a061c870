import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineTool, type RunEvent, run, ToolOutput, text } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import * as z from 'zod';
import { createRunPort, eventsIn } from './create-run-port.ts';

/** The log of a run that was given these words. */
async function logOf(words: string): Promise<readonly RunEvent[]> {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ fails: z.boolean() }),
    run: ({ fails }) => {
      if (fails) throw new Error('no');
      return new ToolOutput([text('seen'), text('{"ok":true}')]);
    },
  });
  const agent = defineAgent({ name: 'a', tools: [look] });
  const model = new ScriptedModel([
    calls(['look', { fails: true }]),
    calls(['look', { fails: false }]),
    says('Done.'),
  ]);
  return (await run(agent, words, { model })).events;
}

describe('what the log of a run says', () => {
  const inputs: readonly [string, unknown][] = [
    ['{"commit":"x"}', { commit: 'x' }],
    ['Add two.', 'Add two.'],
    ['42', '42'],
    ['{"half', '{"half'],
  ];
  for (const [words, input] of inputs) {
    it(`about its input: ${words}`, async () => {
      const events = await logOf(words);
      assert.deepEqual(await createRunPort(() => events).inputOf('r'), input);
    });
  }

  it('about a tool: the texts of the calls that went well, in order', async () => {
    const events = await logOf('x');
    const runs = createRunPort(async () => events);
    assert.deepEqual(await runs.resultsOf('r', 'look'), [['seen', '{"ok":true}']]);
    assert.deepEqual(await runs.resultsOf('r', 'other'), []);
  });

  it('about a run that is not there is an error', async () => {
    await assert.rejects(createRunPort(() => []).inputOf('r'), { code: 'not_found' });
  });

  it('is read page by page, without what cannot be read', async () => {
    const events = await logOf('x');
    const pages = [...events.slice(0, 3), { seq: 4, broken: 'torn' }, ...events.slice(4)];
    const store = {
      events: async (_: string, { after = 0 } = {}) => pages.slice(after, after + 2),
    } as unknown as Parameters<typeof eventsIn>[0];
    const read = await eventsIn(store)('r');
    assert.deepEqual(
      read.map(({ seq }) => seq),
      events.map(({ seq }) => seq).filter((seq) => seq !== 4),
    );
  });

  it('is asked for once where it cannot change', async () => {
    const events = await logOf('x');
    let asked = 0;
    const runs = createRunPort(() => {
      asked += 1;
      return events;
    });
    await runs.inputOf('r');
    await runs.inputOf('r');
    assert.equal(asked, 1);
  });
});
