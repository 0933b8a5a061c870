import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { openShop } from '../agent-fixtures.test.ts';
import { agentInputs } from '../agent-inputs.ts';
import { loadPrompt, promptNames } from './load-prompt.ts';

/** Names of properties and listed values, however deep. */
function wordsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'properties') return [...Object.keys(value), ...wordsIn(Object.values(value))];
    return key === 'enum' ? value : wordsIn(value);
  });
}

describe('what a prompt names in code', () => {
  it('is there: a tool of the agent, or a word of its input or of a tool', async () => {
    const shop = await openShop();
    try {
      for (const name of promptNames) {
        const { body } = await loadPrompt({ name });
        const { tools } = shop.agents[name].guard;
        const known = new Set([
          ...tools.keys(),
          ...[...tools.values()].flatMap(({ spec }) => wordsIn(spec.inputSchema)),
          ...wordsIn(z.toJSONSchema(agentInputs[name], { io: 'input' })),
        ]);
        const named = [...body.matchAll(/`([\w.]+)`/g)].flatMap(([, word = '']) => word.split('.'));
        const unknown = named.filter((word) => word !== '' && word !== 'git' && !known.has(word));
        assert.deepEqual(unknown, [], name);
      }
    } finally {
      await shop.close();
    }
  });
});
