import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toGeminiSchema } from './index.ts';

test('drops what Gemini has no field for, at every depth', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    propertyNames: { pattern: '^a' },
    properties: {
      list: {
        type: 'array',
        uniqueItems: true,
        minItems: 1,
        items: {
          type: 'object',
          additionalProperties: true,
          properties: { n: { type: 'number', multipleOf: 2 } },
        },
      },
    },
    required: ['list', 'ghost'],
  };
  assert.deepEqual(toGeminiSchema(schema), {
    type: 'OBJECT',
    properties: {
      list: {
        type: 'ARRAY',
        minItems: 1,
        items: { type: 'OBJECT', properties: { n: { type: 'NUMBER' } } },
      },
    },
    required: ['list'],
  });
});

test('says null as nullable', () => {
  assert.deepEqual(toGeminiSchema({ type: ['string', 'null'] }), {
    type: 'STRING',
    nullable: true,
  });
  assert.deepEqual(toGeminiSchema({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), {
    type: 'INTEGER',
    nullable: true,
  });
  assert.deepEqual(toGeminiSchema({ enum: ['a', null] }), {
    type: 'STRING',
    nullable: true,
    enum: ['a'],
  });
});

test('says several types as alternatives', () => {
  assert.deepEqual(toGeminiSchema({ type: ['string', 'number'], description: 'Either.' }), {
    description: 'Either.',
    anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }],
  });
  assert.deepEqual(toGeminiSchema({ oneOf: [{ type: 'string' }, { type: 'boolean' }] }), {
    anyOf: [{ type: 'STRING' }, { type: 'BOOLEAN' }],
  });
});

test('keeps properties beside alternatives that only require some of them', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  };
  assert.deepEqual(toGeminiSchema(schema), {
    type: 'OBJECT',
    properties: { a: { type: 'STRING' }, b: { type: 'STRING' } },
  });
});

test('merges what must all hold', () => {
  const schema = {
    $defs: { named: { properties: { name: { type: 'string' } }, required: ['name'] } },
    allOf: [
      { $ref: '#/$defs/named' },
      { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] },
    ],
  };
  assert.deepEqual(toGeminiSchema(schema), {
    type: 'OBJECT',
    properties: { name: { type: 'STRING' }, age: { type: 'INTEGER' } },
    required: ['name', 'age'],
  });
});

test('puts references in place, and ends where they would go on for ever', () => {
  const schema = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node', description: 'The top.' } },
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { $ref: '#/$defs/a~1b' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
      },
      'a/b': { type: 'string' },
    },
  };
  assert.deepEqual(toGeminiSchema(schema), {
    type: 'OBJECT',
    properties: {
      root: {
        type: 'OBJECT',
        description: 'The top.',
        properties: {
          name: { type: 'STRING' },
          children: { type: 'ARRAY', items: { type: 'OBJECT' } },
        },
      },
    },
  });
  assert.deepEqual(toGeminiSchema({ $ref: '#' }), { type: 'OBJECT' });
  assert.deepEqual(toGeminiSchema({ allOf: [{ $ref: '#' }], type: 'object' }), { type: 'OBJECT' });
  assert.deepEqual(toGeminiSchema({ $ref: 'https://elsewhere.example' }), { type: 'OBJECT' });
});

test('stays small when references double at every step', () => {
  const $defs: Record<string, object> = { d0: { type: 'string' } };
  for (let at = 1; at < 40; at += 1) {
    const $ref = `#/$defs/d${at - 1}`;
    $defs[`d${at}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } };
  }
  const size = JSON.stringify(toGeminiSchema({ $ref: '#/$defs/d39', $defs })).length;
  assert.ok(size < 1_000_000);
});

test('moves what can be said in words to the description', () => {
  assert.deepEqual(toGeminiSchema({ type: 'string', format: 'email', description: 'Where to.' }), {
    type: 'STRING',
    description: 'Where to. Format: email.',
  });
  assert.deepEqual(toGeminiSchema({ type: 'integer', enum: [1, 2] }), {
    type: 'INTEGER',
    description: 'One of: 1, 2.',
  });
  assert.deepEqual(toGeminiSchema({ const: 'fixed' }), { type: 'STRING', enum: ['fixed'] });
  assert.deepEqual(toGeminiSchema({ type: 'string', format: 'date-time' }), {
    type: 'STRING',
    format: 'date-time',
  });
});

test('turns open bounds of integers into closed ones', () => {
  assert.deepEqual(toGeminiSchema({ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }), {
    type: 'INTEGER',
    minimum: 1,
    maximum: 9,
  });
});

test('tells every list what is in it', () => {
  assert.ok(toGeminiSchema({ type: 'array' }).items);
  assert.deepEqual(
    toGeminiSchema({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }),
    { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] } },
  );
});

test('lets anything be almost anything', () => {
  for (const schema of [true, {}, { description: 'Any.' }]) {
    assert.ok(Array.isArray(toGeminiSchema(schema).anyOf));
  }
});
