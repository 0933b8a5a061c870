import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSchema, type JsonSchema } from '@forge/core';
import fc from 'fast-check';
import { typed } from './json-type.ts';
import { misfit } from './schema-fits.ts';

const fit = (from: JsonSchema, to: JsonSchema) => misfit(typed(from), typed(to));
const text = { type: 'string' };
const whole = { type: 'integer' };
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});

describe('whether what one node hands on can be given to another', () => {
  const fits: Record<string, [JsonSchema, JsonSchema]> = {
    'the same type': [text, text],
    'a whole number as a number': [whole, { type: 'number' }],
    'one listed value among others': [{ const: 'a' }, { enum: ['a', 'b'] }],
    'a listed value of the type': [{ enum: ['a', 'b'] }, text],
    'anything, where nothing is said': [{}, text],
    'something, where anything is taken': [text, {}],
    'more properties than are needed': [object({ a: text, b: whole }), object({ a: text })],
    'an object of which nothing is known': [{ type: 'object' }, object({ a: text })],
    'a list of what is needed': [
      { type: 'array', items: whole },
      { type: 'array', items: { type: 'number' } },
    ],
    'one of several types that are taken': [text, { anyOf: [whole, text] }],
    'a type behind a reference': [{ $ref: '#/$defs/a', $defs: { a: text } }, text],
    'parts that are put together': [
      { allOf: [object({ a: text }), object({ b: whole })] },
      object({ a: text, b: whole }),
    ],
    'a schema that holds itself': [
      object({ v: whole, kids: { type: 'array', items: { $ref: '#' } } }),
      object({ v: whole, kids: { type: 'array', items: { $ref: '#' } } }),
    ],
    'lengths and patterns, which are looked at when there is a value': [
      text,
      { type: 'string', minLength: 3, pattern: '^a' },
    ],
  };
  for (const [name, [from, to]] of Object.entries(fits)) {
    it(`yes: ${name}`, () => assert.equal(fit(from, to), undefined));
  }

  const nots: Record<string, [JsonSchema, JsonSchema, string]> = {
    'another type': [text, whole, 'it is a text, and a whole number is needed'],
    'a number as a whole number': [
      { type: 'number' },
      whole,
      'it is a number, and a whole number is needed',
    ],
    'any text where only some are taken': [
      text,
      { enum: ['a', 'b'] },
      'it is a text, and one of "a", "b" is needed',
    ],
    'one of several types that is not taken': [
      { type: ['string', 'null'] },
      text,
      'it is null, and a text is needed',
    ],
    'a value that is not of the type, or not allowed': [
      { const: 0 },
      { type: 'integer', minimum: 1 },
      'it must be 1 or more, received 0',
    ],
    'a property that is not there': [
      object({ a: text }),
      object({ b: text }),
      'b is needed, and is not there',
    ],
    'a property that may be missing': [
      object({ a: text }, []),
      object({ a: text }),
      'a is needed, and may be missing',
    ],
    'something wrong further in': [
      { type: 'array', items: object({ a: object({ b: text }) }) },
      { type: 'array', items: object({ a: object({ b: whole }) }) },
      '[].a.b is a text, and a whole number is needed',
    ],
    'a property that is forbidden': [
      object({ a: text, b: text }),
      { ...object({ a: text }), additionalProperties: false },
      'b is not allowed there',
    ],
    'a list where one is needed': [
      { type: 'array', items: text },
      text,
      'it is a list of texts, and a text is needed',
    ],
    'none of several types': [
      { type: 'boolean' },
      { anyOf: [text, whole] },
      'it is true or false, and a text or a whole number is needed',
    ],
  };
  for (const [name, [from, to, why]] of Object.entries(nots)) {
    it(`no: ${name}`, () => assert.equal(fit(from, to), why));
  }

  it('a yes is kept: every value of the one is a value of the other', () => {
    const names = fc.constantFrom('a', 'b');
    const { schema, value } = fc.letrec<{ schema: Record<string, unknown>; value: unknown }>(
      (tie) => ({
        schema: fc.oneof(
          { maxDepth: 3, depthSize: 'small' },
          fc
            .constantFrom('string', 'integer', 'number', 'boolean', 'null')
            .map((type) => ({ type })),
          fc
            .uniqueArray(fc.constantFrom('string', 'integer', 'null'), { minLength: 1 })
            .map((type) => ({ type })),
          fc
            .uniqueArray(fc.constantFrom('x', 1, null, true), { minLength: 1 })
            .map((all) => ({ enum: all })),
          tie('schema').map((items) => ({ type: 'array', items })),
          fc
            .record({
              properties: fc.dictionary(names, tie('schema'), { noNullPrototype: true }),
              required: fc.uniqueArray(names),
              closed: fc.boolean(),
            })
            .map(({ properties, required, closed }) => ({
              type: 'object',
              properties,
              required,
              additionalProperties: !closed && { type: 'string' },
            })),
          fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
        ) as fc.Arbitrary<Record<string, unknown>>,
        value: fc.oneof(
          { maxDepth: 3, depthSize: 'small' },
          fc.constantFrom<unknown>('x', 'y', 1, 2.5, true, null),
          fc.array(tie('value'), { maxLength: 2 }),
          fc.dictionary(names, tie('value'), { noNullPrototype: true }),
        ),
      }),
    );
    let met = 0;
    fc.assert(
      fc.property(schema, schema, fc.array(value, { maxLength: 20 }), (from, to, values) => {
        if (fit(from, to) !== undefined) return;
        for (const one of values.filter((each) => compileSchema(from).accepts(each))) {
          met++;
          assert.ok(compileSchema(to).accepts(one), JSON.stringify(one));
        }
      }),
      { numRuns: 5_000 },
    );
    assert.ok(met > 100, `only ${met} values were looked at`);
  });
});
