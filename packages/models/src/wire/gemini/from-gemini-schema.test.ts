import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromGeminiSchema, toGeminiSchema } from './index.ts';

test('gives JSON Schema for Gemini’s own', () => {
  const schema = {
    type: 'OBJECT',
    properties: {
      mood: { type: 'STRING', format: 'enum', enum: ['good', 'bad'], nullable: true },
      tags: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '1' },
      either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
      open: { type: 'TYPE_UNSPECIFIED', example: 3 },
    },
    required: ['mood'],
    propertyOrdering: ['mood', 'tags'],
  };
  assert.deepEqual(fromGeminiSchema(schema), {
    type: 'object',
    properties: {
      mood: { type: ['string', 'null'], enum: ['good', 'bad', null] },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
      either: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
      open: { examples: [3] },
    },
    required: ['mood'],
    propertyOrdering: ['mood', 'tags'],
  });
});

test('leads back to where it came from', () => {
  const schema = {
    type: 'OBJECT',
    properties: {
      mood: { type: 'STRING', enum: ['good', 'bad'], nullable: true },
      either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
    },
  };
  assert.deepEqual(toGeminiSchema(fromGeminiSchema(schema)), schema);
});
