import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSchema } from './compile-schema.ts';
import { exampleFromPattern } from './example-from-pattern.ts';
import { exampleFromSchema } from './example-from-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** The example for a required property `x`. */
const exampleOf = (x: unknown): unknown => {
  const schema = { type: 'object', properties: { x, more: true }, required: ['x'] };
  const example = exampleFromSchema(schema);
  assert.deepEqual(compileSchema(schema).issues(example), [], JSON.stringify({ x, example }));
  assert.deepEqual(Object.keys(example), ['x']);
  return example.x;
};

describe('exampleFromSchema', () => {
  it('prefers what the author wrote', () => {
    assert.equal(exampleOf({ const: 7 }), 7);
    assert.equal(exampleOf({ type: 'string', examples: ['src/a.ts'], default: 'b' }), 'src/a.ts');
    assert.equal(exampleOf({ type: 'string', example: 'src/a.ts' }), 'src/a.ts');
    assert.equal(exampleOf({ type: 'integer', default: 20 }), 20);
    assert.equal(exampleOf({ type: 'integer', default: 'wrong', enum: [4, 5] }), 4);
    assert.equal(exampleOf({ enum: ['read', 'write'] }), 'read');
  });

  it('makes a value of the right type and size', () => {
    assert.equal(exampleOf({ type: 'string' }), 'text');
    assert.equal(exampleOf({ type: 'string', maxLength: 2 }), 'te');
    assert.equal(exampleOf({ type: 'string', minLength: 6 }), 'textte');
    assert.equal(exampleOf({ type: 'string', format: 'date' }), '2025-01-31');
    assert.equal(exampleOf({ type: 'string', format: 'email' }), 'user@example.com');
    assert.equal(exampleOf({ type: 'string', pattern: '^[A-Z]{3}-\\d{2,4}$' }), 'AAA-11');
    assert.equal(exampleOf({ type: 'integer' }), 1);
    assert.equal(exampleOf({ type: 'integer', minimum: 5 }), 5);
    assert.equal(exampleOf({ type: 'integer', exclusiveMaximum: -3 }), -4);
    assert.equal(exampleOf({ type: 'number', multipleOf: 0.25, exclusiveMinimum: 1 }), 1.25);
    assert.equal(exampleOf({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }), 0.5);
    assert.equal(exampleOf({ type: 'boolean' }), true);
    assert.equal(exampleOf({ type: ['null', 'integer'] }), 1);
    assert.equal(exampleOf({ type: 'null' }), null);
    assert.equal(exampleOf({ anyOf: [{ type: 'null' }, { type: 'string' }] }), 'text');
  });

  it('fills lists and objects with as little as it takes', () => {
    assert.deepEqual(exampleOf({ type: 'array', items: { type: 'string' } }), ['text']);
    assert.deepEqual(
      exampleOf({ type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }),
      [1, 2, 3],
    );
    assert.deepEqual(
      exampleOf({
        type: 'array',
        prefixItems: [{ type: 'integer' }, { type: 'string' }],
        minItems: 2,
      }),
      [1, 'text'],
    );
    assert.deepEqual(exampleOf({ type: 'array', contains: { const: 'a' } }), ['a']);
    assert.deepEqual(exampleOf({ type: 'array', maxItems: 0, items: true }), []);
    assert.deepEqual(exampleOf({ type: 'object' }), {});
    assert.deepEqual(
      exampleOf({ properties: { a: { const: 1 }, b: { const: 2 } }, required: ['b'] }),
      { b: 2 },
    );
    assert.deepEqual(
      exampleOf({ properties: { a: { const: 1 }, b: { const: 2 } }, minProperties: 1 }),
      { a: 1 },
    );
    assert.deepEqual(
      exampleOf({
        allOf: [{ required: ['a'] }, { properties: { a: { minimum: 4, type: 'integer' } } }],
      }),
      { a: 4 },
    );
  });

  it('ends on recursive schemas', () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { v: { type: 'integer' }, kids: { type: 'array', items: { $ref: '#' } } },
      required: ['v', 'kids'],
    };
    assert.deepEqual(compileSchema(tree).issues(exampleFromSchema(tree)), []);
    const endless: JsonSchema = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { $ref: '#' } },
      required: ['a', 'b'],
    };
    assert.equal(typeof exampleFromSchema(endless), 'object');
  });

  it('gives an object for any schema, even one that no object fits', () => {
    for (const schema of [true, false, { type: 'string' }, { not: {} }]) {
      assert.deepEqual(exampleFromSchema(schema), {});
    }
  });
});

it('exampleFromPattern writes a text that plain patterns match', () => {
  const patterns = [
    '^[a-z]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(GET|POST)$',
    '^https?://\\S+$',
    '^[^/]+/[^/]+$',
    '^#[0-9a-fA-F]{6}$',
    '^v?\\d+\\.\\d+\\.\\d+$',
    '^(?:a|b){2}c*$',
    '^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$',
    '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
    '.*',
    '',
  ];
  for (const pattern of patterns) {
    const text = exampleFromPattern(pattern);
    assert.ok(text !== undefined && new RegExp(pattern, 'u').test(text), `${pattern}: ${text}`);
  }
  for (const pattern of ['(?=a)', '(', '[a', '\\1', 'a{500}', '*']) {
    assert.equal(exampleFromPattern(pattern), undefined, pattern);
  }
});
