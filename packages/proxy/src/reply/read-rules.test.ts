import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSchemaCache } from '@forge/core';
import { wires } from '@forge/models';
import { resolveSettings } from '../proxy-settings.ts';
import { createToolSets } from '../request/tool-sets.ts';
import { planReply } from './plan-reply.ts';

it('a choice longer than any is, is read but not kept', () => {
  const schemas = createSchemaCache({ max: 10 });
  const toolSets = createToolSets({
    max: 10,
    maxBytes: 10_000,
    compile: schemas.get.bind(schemas),
  });
  const settings = resolveSettings({ backend: { url: 'http://127.0.0.1:1' } }, undefined);
  const choose = (choice: object) => {
    const tools = [{ type: 'function', function: { name: 'search', parameters: {} } }];
    const body = { model: 'm', messages: [], tools, tool_choice: choice };
    const bytes = Buffer.from(JSON.stringify(body));
    const input = { wire: wires['openai-chat'], path: '/', bytes };
    return planReply({ settings, toolSets, bounds: { areSmall: false } }, input).rules.guard;
  };
  const named = { type: 'function', function: { name: 'search' } };
  const long = { ...named, padding: 'x'.repeat(5_000) };
  assert.deepEqual(choose(long)?.toolChoice, { tool: 'search' });
  assert.notEqual(choose(long), choose(long));
  assert.equal(choose(named), choose(named));
});
