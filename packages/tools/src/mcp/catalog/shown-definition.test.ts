import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isJsonObject, type JsonObject } from '@forge/core';
import { shownDefinition } from './shown-definition.ts';

it('makes every description harmless, also of parameters that are called like a keyword', () => {
  const hidden = 'plain\u202e\u{e0041}words';
  const parameter = (): JsonObject => ({ type: 'string', description: hidden, $comment: hidden });
  const names = ['default', 'enum', 'const', 'examples', 'properties', 'text'];
  const properties = Object.fromEntries(names.map((name) => [name, parameter()]));
  const schema = (): JsonObject => ({ type: 'object', properties, $defs: { enum: parameter() } });
  const definition = {
    name: 'odd',
    description: hidden,
    inputSchema: { ...schema(), patternProperties: { const: schema() } },
  };
  const shown = shownDefinition('s', 's__odd', definition);
  assert.doesNotMatch(JSON.stringify(shown), /[\u202e\u{e0041}]/u);
});

it('leaves values as they are, which are compared with arguments', () => {
  const value = 'a\u202eb';
  const text = { type: 'string', enum: [value], default: value, examples: [{ title: value }] };
  const definition = {
    name: 'odd',
    inputSchema: { type: 'object', properties: { text: { ...text, const: value } } },
  };
  const { inputSchema } = shownDefinition('s', 's__odd', definition);
  assert.ok(isJsonObject(inputSchema));
  assert.deepEqual(inputSchema.properties, { text: { ...text, const: value } });
});
