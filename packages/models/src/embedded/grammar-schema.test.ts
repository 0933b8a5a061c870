import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '@forge/core';
import fc from 'fast-check';
import { grammarSchema } from './grammar-schema.ts';

const anything = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

test('keeps what a grammar can say and leaves out the rest', () => {
  const schema: JsonSchema = {
    type: 'object',
    title: 'x',
    properties: {
      name: { type: 'string', pattern: '^a', maxLength: 5, description: 'd' },
      kind: { enum: ['a', 1, null] },
      list: { type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 1 },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      open: { type: 'object' },
      both: { type: ['object', 'null'], properties: { a: { const: 1 } } },
      any: {},
    },
    required: ['name'],
    additionalProperties: false,
  };
  assert.deepEqual(grammarSchema(schema), {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 5 },
      kind: { enum: ['a', 1, null] },
      list: { type: 'array', items: { type: 'integer' }, minItems: 1 },
      either: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      open: { type: 'object', additionalProperties: true },
      both: {
        oneOf: [
          { type: 'object', properties: { a: { enum: [1] } }, additionalProperties: false },
          { type: 'null' },
        ],
      },
      any: anything,
    },
    additionalProperties: false,
  });
});

test('references lead to definitions, wherever in the document they point', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/x~1y' },
      b: { $ref: '#/properties/c/anyOf/0' },
      c: { anyOf: [{ type: 'boolean' }] },
      d: { $ref: 'https://elsewhere' },
      e: { $ref: '#/%' },
      f: { $ref: '#/$defs/x~1y' },
    },
    $defs: { 'x/y': { type: 'integer' } },
  };
  assert.deepEqual(grammarSchema(schema), {
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/d0' },
      b: { $ref: '#/$defs/d1' },
      c: { oneOf: [{ type: 'boolean' }] },
      d: anything,
      e: anything,
      f: { $ref: '#/$defs/d0' },
    },
    additionalProperties: false,
    $defs: { d0: { type: 'integer' }, d1: { type: 'boolean' } },
  });
});

test('a schema that holds itself ends, and does not grow', () => {
  const next = { $ref: '#/$defs/tree' };
  const tree: JsonSchema = {
    ...next,
    $defs: { tree: { type: 'object', properties: { left: next, right: next } } },
  };
  const translated = { $ref: '#/$defs/d0' };
  assert.deepEqual(grammarSchema(tree), {
    ...translated,
    $defs: {
      d0: {
        type: 'object',
        properties: { left: translated, right: translated },
        additionalProperties: false,
      },
    },
  });
});

test('whatever the schema is, there is a grammar for it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
      JSON.stringify(grammarSchema(JSON.parse(JSON.stringify(schema))));
    }),
  );
  assert.deepEqual(grammarSchema(true), anything);
});
