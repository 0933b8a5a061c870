import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonObject, performTool, type Tool } from '@forge/core';
import { createResults } from '../../results/create-results.ts';
import { context, toolNamed } from '../sandbox-fixtures.test.ts';
import { type Memory, type MemoryFact, memoryTools } from './memory-tools.ts';
import { planTool } from './plan-tool.ts';
import { sendMessageTool } from './send-message-tool.ts';

async function call(tools: readonly Tool[], name: string, args: JsonObject) {
  const { outcome, content } = await performTool(toolNamed(tools, name), args, context());
  const [first] = content;
  return { outcome, text: first?.type === 'text' ? first.text : '' };
}

/** A memory in a map, as small as the tools need it. */
function mapMemory(): Memory {
  const facts = new Map<string, MemoryFact>();
  const place = (scope: string, key: string) => JSON.stringify([scope, key]);
  return {
    async remember({ scope, key = 'made', value }) {
      const old = facts.get(place(scope, key));
      const fact = { key, value, updatedAt: 0 };
      facts.set(place(scope, key), fact);
      return {
        fact,
        outcome: old === undefined ? 'new' : old.value === value ? 'same' : 'changed',
      };
    },
    recall: async (scope, key) => facts.get(place(scope, key)),
    search: async ({ query }) => [...facts.values()].filter(({ value }) => value.includes(query)),
    forget: async (scope, key) => facts.delete(place(scope, key)),
  };
}

describe('memory tools', () => {
  it('remember, change, find and forget', async () => {
    const tools = memoryTools(
      { store: mapMemory(), scope: ({ runId }) => `of ${runId}` },
      createResults({ newNonce: () => 'n' }),
    );
    const said = async (name: string, args: JsonObject) => (await call(tools, name, args)).text;
    assert.equal(
      await said('remember', { key: 'host', value: 'is blue' }),
      'Remembered, as "host".',
    );
    assert.equal(
      await said('remember', { key: 'host', value: 'is blue' }),
      'Known already, as "host".',
    );
    assert.equal(await said('remember', { key: 'host', value: 'is green' }), 'Changed, as "host".');
    for (const found of [
      await said('recall', { key: 'host' }),
      await said('search_memory', { query: 'green' }),
    ]) {
      assert.match(
        found,
        /^<untrusted-n source="memory">\n.*\nhost \(1970-01-01\): is green\n<\/untrusted-n>$/,
      );
    }
    assert.equal(
      await said('search_memory', { query: 'red' }),
      'Nothing is remembered about that.',
    );
    assert.equal(await said('forget', { key: 'host' }), 'Forgot "host".');
    assert.equal((await call(tools, 'recall', { key: 'host' })).outcome, 'not_found');
  });
});

it('a plan is what the call says it is', async () => {
  const steps = [
    { step: 'Look', status: 'done' },
    { step: 'Build', status: 'in_progress' },
    { step: 'Rest', status: 'pending' },
  ];
  const { text } = await call([planTool()], 'plan', { steps });
  assert.equal(text, '1 of 3 steps done.\n[x] 1. Look\n[>] 2. Build\n[ ] 3. Rest\nNext: Build');
});

it('a message goes to its channel with the key of the call', async () => {
  const sent: unknown[] = [];
  const tool = sendMessageTool({
    channels: ['ops', 'all'],
    send: async ({ text, channel, idempotencyKey }) =>
      void sent.push([text, channel, idempotencyKey]),
  });
  assert.equal((await call([tool], 'send_message', { text: 'hi', channel: 'ops' })).text, 'Sent.');
  assert.deepEqual(sent, [['hi', 'ops', 'key']]);
  assert.ok(!tool.schema.accepts({ text: 'hi', channel: 'elsewhere' }));
  assert.equal(tool.idempotent, false);
});
