import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { ForgeError } from '../errors.ts';
import { canonicalJson } from '../json.ts';
import { checkArguments } from './check-arguments.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';
import { exampleFromSchema } from './example-from-schema.ts';
import type { JsonSchema } from './json-schema.ts';

const name = fc.constantFrom('a', 'b', 'c', 'aB', 'a_b', '__proto__', 'toString');
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'a',
    'bb',
    'A',
    '3',
    '2.5',
    'true',
    'null',
    '😀',
    '{"a":1}',
    '["a"]',
  ),
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, -1, 2.5),
);

/** Small values out of few words, so that schemas and values meet. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const count = fc.nat({ max: 3 });
const someNames = fc.uniqueArray(name, { maxLength: 2 });
const typeName = fc.constantFrom(
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'null',
);
/** Only where they go down into a part of the value: a reference in place could be endless. */
const reference = fc.constantFrom<unknown>({ $ref: '#/$defs/x' }, { $ref: '#' }, { $ref: '#y' });

const { schema } = fc.letrec<{ schema: unknown; part: unknown }>((tie) => {
  const inner = tie('schema');
  const part = tie('part');
  const partMap = fc.dictionary(name, part, { maxKeys: 3 });
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const strings = {
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('a', '^b', '\\d', '^.$'),
  };
  const numbers = {
    minimum: count,
    maximum: count,
    exclusiveMinimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2, 0.5),
  };
  const arrays = {
    items: part,
    prefixItems: fc.array(part, { minLength: 1, maxLength: 2 }),
    contains: part,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    unevaluatedItems: part,
  };
  const objects = {
    properties: partMap,
    required: someNames,
    additionalProperties: part,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), part, { maxKeys: 1 }),
    propertyNames: inner,
    minProperties: count,
    maxProperties: count,
    dependentRequired: fc.dictionary(name, someNames, { maxKeys: 1 }),
    dependentSchemas: fc.dictionary(name, inner, { maxKeys: 1 }),
    unevaluatedProperties: part,
  };
  const inPlace = {
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: inner,
    if: inner,
    else: inner,
    ...Object.fromEntries([['then', inner]]),
  };
  const types = {
    type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: canonicalJson }),
    const: value,
  };
  const some = (keywords: Record<string, fc.Arbitrary<unknown>>) =>
    fc
      .subarray(Object.keys(keywords), { maxLength: 3 })
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key] ?? value]))),
      );
  const usual = fc.record(
    {
      type: fc.constant('object'),
      properties: partMap,
      required: someNames,
      additionalProperties: fc.constant(false),
    },
    { requiredKeys: ['type', 'properties'] },
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.record({ type: typeName }),
      fc.boolean(),
      some(types),
      usual,
      some({ ...types, ...strings, ...numbers }),
      some({ ...types, ...arrays }),
      some({ ...types, ...objects }),
      some({ ...objects, ...arrays, ...inPlace }),
      some(inPlace),
    ),
    part: fc.oneof(
      { maxDepth: 3 },
      { arbitrary: inner, weight: 5 },
      { arbitrary: reference, weight: 1 },
    ),
  };
});

/** A whole document: something referred to by path and by anchor, and the root. */
const document: fc.Arbitrary<JsonSchema> = fc
  .record({ root: schema, x: schema, y: schema })
  .map(({ root, x, y }) => {
    const anchored =
      typeof y === 'object' && y !== null ? { ...y, $anchor: 'y' } : { $anchor: 'y' };
    const body = typeof root === 'object' && root !== null ? root : {};
    return { ...body, $defs: { x, y: anchored } };
  });

const checksum = (compiled: CompiledSchema, each: unknown) => {
  const issues = compiled.issues(each);
  assert.equal(compiled.accepts(each), issues.length === 0);
  assert.ok(!issues.some(({ keyword }) => keyword === 'limit'), 'a small value met a limit');
};

/**
 * Leaves out what ajv gets wrong by the specification (the official suite agrees with us there):
 * names that objects inherit, and `contains` beside `prefixItems` or `unevaluatedItems`.
 */
const isWithinAjv = (text: string) =>
  !/__proto__|toString/.test(text) &&
  !(text.includes('contains') && /prefixItems|unevaluatedItems/.test(text));

/** Fixed, so that a run today is a run tomorrow. */
const runs = { numRuns: 300, seed: 20_250 };

describe('any schema and any value', () => {
  it('accepts what ajv accepts', () => {
    const values = fc.array(value, { minLength: 5, maxLength: 10 });
    fc.assert(
      fc.property(document, values, (source, samples) => {
        fc.pre(isWithinAjv(canonicalJson([source, samples])));
        const theirs = new Ajv2020({
          strict: false,
          validateSchema: false,
          ownProperties: true,
        }).compile(source);
        const ours = compileSchema(source);
        for (const each of samples)
          assert.equal(ours.accepts(each), theirs(each), canonicalJson(each));
      }),
      { ...runs, numRuns: 150 },
    );
  });

  it('has issues exactly where it does not accept', () => {
    fc.assert(
      fc.property(document, value, (source, each) => checksum(compileSchema(source), each)),
      runs,
    );
  });

  it('compiles any JSON or says why not', () => {
    const keyword = fc.constantFrom(
      'type',
      'items',
      '$ref',
      'properties',
      'required',
      'pattern',
      '$id',
    );
    const odd = fc.dictionary(keyword, fc.oneof(fc.jsonValue(), value, schema), { maxKeys: 4 });
    fc.assert(
      fc.property(odd, value, (source, each) => {
        try {
          checksum(compileSchema(source), each);
        } catch (error) {
          if (!ForgeError.is(error, 'invalid_schema')) throw error;
        }
      }),
      runs,
    );
  });

  it('repairs to what is accepted, once and for all, and leaves the input alone', () => {
    fc.assert(
      fc.property(document, value, (source, each) => {
        const compiled = compileSchema(source);
        const before = canonicalJson(each);
        const check = checkArguments(compiled, each);
        assert.equal(canonicalJson(each), before);
        if (!check.ok) {
          assert.notEqual(check.issues.length, 0);
          return;
        }
        assert.ok(compiled.accepts(check.args));
        const again = checkArguments(compiled, check.args);
        assert.deepEqual(again, { ok: true, args: check.args, repairs: [] });
        if (check.repairs.length === 0 && typeof each === 'object') assert.equal(check.args, each);
      }),
      runs,
    );
  });

  it('makes an example of any schema without throwing', () => {
    fc.assert(
      fc.property(document, (source) => {
        assert.equal(typeof exampleFromSchema(source), 'object');
      }),
      runs,
    );
  });
});

describe('schemas as tools have them', () => {
  const leaf = fc.oneof(
    fc.record({ type: fc.constant('string') }),
    fc.record({ type: fc.constant('string'), minLength: count }),
    fc.record({
      type: fc.constant('string'),
      format: fc.constantFrom('date', 'email', 'uri', 'uuid'),
    }),
    fc.record({
      type: fc.constant('string'),
      pattern: fc.constantFrom('^[a-z]{2,5}$', '^\\d+(\\.\\d+)?$', '^(a|b)-x*$'),
    }),
    fc.record({ type: fc.constantFrom('integer', 'number'), minimum: fc.integer() }),
    fc.record({
      type: fc.constantFrom('integer', 'number'),
      maximum: fc.integer(),
      multipleOf: fc.constantFrom(1, 5, 0.1),
    }),
    fc.record({ type: fc.constant('boolean') }),
    fc.record({ enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }) }),
    fc.record({ const: scalar }),
    fc.record({ type: fc.constant(['string', 'null']) }),
    fc.record({ anyOf: fc.constant([{ type: 'null' }, { type: 'integer' }]) }),
  );
  const { tool } = fc.letrec<{ tool: JsonSchema; node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      fc.record({ type: fc.constant('array'), items: tie('node'), minItems: count }),
      tie('tool'),
    ),
    tool: fc
      .record({
        properties: fc.dictionary(fc.string(), tie('node'), { maxKeys: 4 }),
        open: fc.boolean(),
      })
      .chain(({ properties, open }) =>
        fc.subarray(Object.keys(properties)).map((required) => ({
          type: 'object',
          properties,
          required,
          ...(open ? {} : { additionalProperties: false }),
        })),
      ),
  }));

  it('have an example that fits', () => {
    fc.assert(
      fc.property(tool, (source) => {
        assert.deepEqual(compileSchema(source).issues(exampleFromSchema(source)), []);
      }),
      runs,
    );
  });

  it('take their example back from text in text', () => {
    fc.assert(
      fc.property(tool, (source) => {
        const example = exampleFromSchema(source);
        const check = checkArguments(
          compileSchema(source),
          JSON.stringify(JSON.stringify(example)),
        );
        assert.ok(check.ok);
        assert.equal(canonicalJson(check.args), canonicalJson(example));
      }),
      runs,
    );
  });
});
