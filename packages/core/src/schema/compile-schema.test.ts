import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '../errors.ts';
import { compileSchema } from './compile-schema.ts';
import { formatPath } from './format-path.ts';
import type { JsonSchema } from './json-schema.ts';

interface Case {
  readonly schema: JsonSchema;
  readonly yes: readonly unknown[];
  readonly no: readonly unknown[];
}

const tree = {
  $ref: '#/$defs/tree',
  $defs: {
    tree: {
      type: 'object',
      properties: {
        v: { type: 'integer' },
        kids: { type: 'array', items: { $ref: '#/$defs/tree' } },
      },
      required: ['v'],
      additionalProperties: false,
    },
  },
};

/** `then` by a computed name: an object with a `then` of its own looks like a promise. */
const THEN = 'then';

const cases: Record<string, readonly Case[]> = {
  'boolean schemas': [
    { schema: true, yes: [1, null, {}], no: [] },
    { schema: false, yes: [], no: [1, null, {}] },
    { schema: {}, yes: [1, 'a', [], undefined], no: [] },
  ],
  type: [
    { schema: { type: 'string' }, yes: ['', 'a'], no: [1, null, [], {}, true, undefined] },
    { schema: { type: 'integer' }, yes: [0, 3.0, -1, 1e300], no: [3.5, '3', Number.NaN, Infinity] },
    { schema: { type: 'number' }, yes: [0, 3.5], no: ['3', null, Number.NaN, Infinity] },
    { schema: { type: 'boolean' }, yes: [true, false], no: [0, 'true', null] },
    { schema: { type: 'null' }, yes: [null], no: [undefined, 0, ''] },
    { schema: { type: 'object' }, yes: [{}, { a: 1 }], no: [[], null, 'a'] },
    { schema: { type: 'array' }, yes: [[], [1]], no: [{}, null, 'a'] },
    { schema: { type: ['string', 'null'] }, yes: ['a', null], no: [1, {}] },
    { schema: { type: ['integer', 'string'], minimum: 2 }, yes: [2, 'a'], no: [1, 2.5, null] },
  ],
  'nullable (OpenAPI)': [
    { schema: { type: 'string', nullable: true }, yes: ['a', null], no: [1] },
    {
      schema: { $ref: '#/$defs/a', nullable: true, $defs: { a: { type: 'string' } } },
      yes: ['a', null],
      no: [1],
    },
  ],
  'enum and const': [
    { schema: { enum: ['a', 1, null] }, yes: ['a', 1, null], no: ['A', '1', undefined, {}] },
    {
      schema: { enum: [{ a: [1, 2] }] },
      yes: [{ a: [1, 2] }],
      no: [{ a: [2, 1] }, { a: [1, 2], b: 1 }, {}],
    },
    { schema: { const: { b: 1, a: 2 } }, yes: [{ a: 2, b: 1 }], no: [{ a: 2 }, [], null] },
    { schema: { const: null }, yes: [null], no: [0, undefined] },
    { schema: { const: 1, enum: [1, 2] }, yes: [1], no: [2] },
    { schema: { const: { toString: 1 } }, yes: [{ toString: 1 }], no: [{}] },
  ],
  strings: [
    { schema: { minLength: 2 }, yes: ['ab', '😀😀', 5], no: ['a', '😀', ''] },
    { schema: { maxLength: 2 }, yes: ['ab', '😀😀'], no: ['abc', '😀😀😀'] },
    { schema: { maxLength: 1 }, yes: ['😀', '\ud83d'], no: ['😀a', '\ud83d\ud83d'] },
    { schema: { pattern: '^a+$' }, yes: ['aa', 1], no: ['b', 'ab'] },
    { schema: { pattern: 'b' }, yes: ['abc'], no: ['ac'] },
    { schema: { pattern: '^.$' }, yes: ['😀'], no: ['ab'] },
    { schema: { pattern: '^[\\w\\-\\_]+$' }, yes: ['a-b_c'], no: ['a b'] },
    { schema: { format: 'email' }, yes: ['not an email'], no: [] },
  ],
  numbers: [
    { schema: { minimum: 1, maximum: 3 }, yes: [1, 3, 'a'], no: [0.9, 3.1] },
    { schema: { exclusiveMinimum: 1, exclusiveMaximum: 3 }, yes: [2], no: [1, 3] },
    {
      schema: { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
      yes: [1.1, 3],
      no: [1, 3.1],
    },
    { schema: { maximum: 3, exclusiveMaximum: true }, yes: [2.9], no: [3] },
    { schema: { multipleOf: 0.1 }, yes: [0.3, 1.1, 4.35e1, 0], no: [0.35] },
    { schema: { multipleOf: 0.01 }, yes: [4.35, 19.99, 1e22], no: [0.001] },
    { schema: { multipleOf: 3 }, yes: [9, -3, 0], no: [10, 3.5] },
    { schema: { multipleOf: 1e-8 }, yes: [12391239123, 1e-7], no: [1e-9] },
  ],
  arrays: [
    { schema: { items: { type: 'integer' } }, yes: [[], [1, 2], 'a'], no: [[1, 'a']] },
    {
      schema: { items: [{ type: 'integer' }], additionalItems: false },
      yes: [[], [1]],
      no: [['a'], [1, 2]],
    },
    {
      schema: { items: [{ type: 'integer' }], additionalItems: { type: 'string' } },
      yes: [[1, 'a']],
      no: [[1, 2]],
    },
    {
      schema: { prefixItems: [{ type: 'integer' }], items: { type: 'string' } },
      yes: [[], [1], [1, 'a']],
      no: [['a'], [1, 2]],
    },
    { schema: { contains: { type: 'integer' } }, yes: [['a', 1]], no: [[], ['a']] },
    {
      schema: { contains: { type: 'integer' }, minContains: 2, maxContains: 3 },
      yes: [
        [1, 2],
        [1, 2, 3, 'a'],
      ],
      no: [[1], [1, 2, 3, 4]],
    },
    { schema: { contains: { type: 'integer' }, minContains: 0 }, yes: [[], ['a']], no: [] },
    { schema: { minItems: 1, maxItems: 2 }, yes: [[1], [1, 2]], no: [[], [1, 2, 3]] },
    {
      schema: { uniqueItems: true },
      yes: [[], [1, '1', true, null, [1], ['1']], [{ a: 1 }, { a: 2 }], [0, false]],
      no: [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[1], [1]],
        [null, null],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 1],
      ],
    },
  ],
  objects: [
    {
      schema: { properties: { a: { type: 'integer' } } },
      yes: [{}, { a: 1 }, { b: 1 }, 'x'],
      no: [{ a: 'x' }],
    },
    { schema: { required: ['a', 'a'] }, yes: [{ a: null }], no: [{}, { b: 1 }, { a: undefined }] },
    {
      schema: { properties: { a: true }, additionalProperties: false },
      yes: [{}, { a: 1 }, { b: undefined }],
      no: [{ b: 1 }, { a: 1, b: 1 }],
    },
    {
      schema: { properties: { a: true }, additionalProperties: { type: 'string' } },
      yes: [{ a: 1, b: 'x' }],
      no: [{ b: 1 }],
    },
    {
      schema: { patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false },
      yes: [{ x1: 1 }],
      no: [{ x1: 'a' }, { y: 1 }],
    },
    { schema: { required: ['a'], additionalProperties: false }, yes: [], no: [{ a: 1 }, {}] },
    { schema: { propertyNames: { maxLength: 1 } }, yes: [{ a: 1 }], no: [{ ab: 1 }] },
    {
      schema: { minProperties: 1, maxProperties: 2 },
      yes: [{ a: 1 }],
      no: [{}, { a: 1, b: 1, c: 1 }, { a: undefined }],
    },
    {
      schema: { dependentRequired: { a: ['b'] } },
      yes: [{}, { b: 1 }, { a: 1, b: 1 }],
      no: [{ a: 1 }],
    },
    {
      schema: { dependentSchemas: { a: { required: ['b'] } } },
      yes: [{}, { a: 1, b: 1 }],
      no: [{ a: 1 }],
    },
    {
      schema: { dependencies: { a: ['b'], c: { required: ['d'] } } },
      yes: [{}, { a: 1, b: 1 }],
      no: [{ a: 1 }, { c: 1 }],
    },
  ],
  'names that objects inherit': [
    { schema: { required: ['toString'] }, yes: [{ toString: 1 }], no: [{}] },
    {
      schema: { properties: { constructor: { type: 'string' } } },
      yes: [{}, { constructor: 'a' }],
      no: [{ constructor: 1 }],
    },
    { schema: { required: ['__proto__'] }, yes: [JSON.parse('{"__proto__":1}')], no: [{}] },
    {
      schema: JSON.parse(
        '{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}',
      ),
      yes: [{}, JSON.parse('{"__proto__":"a"}')],
      no: [JSON.parse('{"__proto__":1}')],
    },
    {
      schema: { properties: { hasOwnProperty: { type: 'integer' } }, required: ['hasOwnProperty'] },
      yes: [{ hasOwnProperty: 1 }],
      no: [{}],
    },
    {
      schema: { required: ['a'] },
      yes: [Object.assign(Object.create(null), { a: 1 })],
      no: [Object.create({ a: 1 })],
    },
    { schema: { additionalProperties: false }, yes: [Object.create({ a: 1 })], no: [] },
  ],
  'several schemas at once': [
    { schema: { allOf: [{ minimum: 1 }, { maximum: 3 }] }, yes: [2], no: [0, 4] },
    { schema: { anyOf: [{ type: 'string' }, { minimum: 3 }] }, yes: ['a', 3], no: [2] },
    { schema: { oneOf: [{ minimum: 1 }, { maximum: 3 }] }, yes: [0, 4], no: [2] },
    { schema: { not: { type: 'string' } }, yes: [1], no: ['a'] },
    {
      schema: { if: { type: 'string' }, [THEN]: { minLength: 2 }, else: { minimum: 2 } },
      yes: ['ab', 2],
      no: ['a', 1],
    },
    { schema: { [THEN]: false }, yes: [1], no: [] },
  ],
  'what no other schema spoke of': [
    {
      schema: {
        allOf: [{ properties: { a: true } }],
        properties: { b: true },
        unevaluatedProperties: false,
      },
      yes: [{ a: 1, b: 1 }],
      no: [{ c: 1 }],
    },
    {
      schema: {
        anyOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: true } },
        ],
        unevaluatedProperties: { type: 'integer' },
      },
      yes: [{ a: 'x' }, { b: 'x' }, { c: 1 }],
      no: [{ c: 'x' }],
    },
    { schema: { prefixItems: [true], unevaluatedItems: false }, yes: [[1]], no: [[1, 2]] },
    {
      schema: { contains: { type: 'string' }, unevaluatedItems: false },
      yes: [['a']],
      no: [['a', 1]],
    },
  ],
  $ref: [
    {
      schema: tree,
      yes: [{ v: 1, kids: [{ v: 2, kids: [] }] }],
      no: [{ v: 1, kids: [{ v: 'x' }] }, {}],
    },
    {
      schema: { properties: { a: { $ref: '#' } }, additionalProperties: false },
      yes: [{ a: { a: {} } }],
      no: [{ a: { b: 1 } }],
    },
    {
      schema: { $ref: '#/$defs/a~1b~0c%25', $defs: { 'a/b~c%': { type: 'string' } } },
      yes: ['a'],
      no: [1],
    },
    {
      schema: { $ref: '#x', definitions: { a: { $anchor: 'x', type: 'string' } } },
      yes: ['a'],
      no: [1],
    },
    {
      schema: { items: [{ type: 'string' }, { $ref: '#/items/0' }] },
      yes: [['a', 'b']],
      no: [['a', 1]],
    },
    {
      schema: {
        $id: 'https://example.com/root.json',
        $ref: 'item.json#/$defs/deep',
        $defs: { a: { $id: 'item.json', $defs: { deep: { type: 'string' } } } },
      },
      yes: ['a'],
      no: [1],
    },
    {
      schema: { $ref: '#/components/x', components: { x: { type: 'string' } } },
      yes: ['a'],
      no: [1],
    },
    {
      schema: { $ref: '#/$defs/a', maxLength: 1, $defs: { a: { type: 'string' } } },
      yes: ['a'],
      no: ['ab', 1],
    },
    {
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $ref: '#/definitions/a',
        maxLength: 1,
        definitions: { a: { type: 'string' } },
      },
      yes: ['ab'],
      no: [1],
    },
  ],
  'keywords that are null, as some serialisers write them': [
    {
      schema: {
        type: 'object',
        properties: null,
        required: null,
        enum: null,
        items: null,
        pattern: null,
      },
      yes: [{ a: 1 }],
      no: [1],
    },
    { schema: { type: 'string', required: true }, yes: ['a'], no: [1] },
  ],
};

describe('compileSchema', () => {
  for (const [keyword, rows] of Object.entries(cases)) {
    it(`checks ${keyword}`, () => {
      for (const { schema, yes, no } of rows) {
        const compiled = compileSchema(schema);
        for (const value of yes) {
          assert.deepEqual(compiled.issues(value), [], JSON.stringify({ schema, value }));
          assert.ok(compiled.accepts(value));
        }
        for (const value of no) {
          const issues = compiled.issues(value);
          assert.ok(!compiled.accepts(value), JSON.stringify({ schema, value }));
          assert.notEqual(issues.length, 0);
          assert.ok(issues.every((issue) => issue.keyword !== 'limit'));
        }
      }
    });
  }

  it('compiles the same object once', () => {
    const schema = { type: 'string' };
    assert.equal(compileSchema(schema), compileSchema(schema));
    assert.notEqual(compileSchema(schema), compileSchema({ type: 'string' }));
    assert.equal(compileSchema(true), compileSchema(true));
  });
});

describe('issues', () => {
  const said = (schema: JsonSchema, value: unknown) =>
    compileSchema(schema)
      .issues(value)
      .map(({ path, message }) => `${formatPath(path)} ${message}`);

  const rows: readonly (readonly [JsonSchema, unknown, readonly string[]])[] = [
    [{ type: 'integer' }, 'three', ['(root) must be an integer, received the string "three"']],
    [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      {},
      ['a is required but missing: it must be a string'],
    ],
    [
      { properties: { path: true, mode: true }, additionalProperties: false },
      { file: 1 },
      ['file is not a known property. Known: "path", "mode"'],
    ],
    [
      { properties: { list: { items: { properties: { n: { minimum: 3 } } } } } },
      { list: [{ n: 4 }, { n: 2 }] },
      ['list[1].n must be 3 or more, received 2'],
    ],
    [{ enum: ['a', 'b'] }, 'c', ['(root) must be one of "a", "b", received the string "c"']],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      3,
      ['(root) must be a string, or must be null, received 3'],
    ],
    [
      {
        oneOf: [
          {
            properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
            required: ['kind', 'radius'],
          },
          {
            properties: { kind: { const: 'square' }, side: { type: 'number' } },
            required: ['kind', 'side'],
          },
        ],
      },
      { kind: 'circle', radius: 'big' },
      ['radius must be a number, received the string "big"'],
    ],
    [
      { oneOf: [{ type: 'integer' }, { minimum: 2 }] },
      3,
      ['(root) must match exactly one of 2 forms (matches 1 and 2), received 3'],
    ],
  ];

  it('say what is valid and what was received', () => {
    for (const [schema, value, expected] of rows) assert.deepEqual(said(schema, value), expected);
  });

  it('stop at the limit', () => {
    const compiled = compileSchema({ items: { type: 'string' } });
    const value = Array.from({ length: 100 }, () => 1);
    assert.equal(compiled.issues(value, 3).length, 3);
    assert.equal(compiled.issues(value).length, 10);
    assert.equal(compiled.issues(value, 0).length, 1);
  });

  it('stay short whatever was received', () => {
    const huge = 'x'.repeat(1_000_000);
    const [issue] = compileSchema({ enum: [huge] }).issues({ [huge]: huge });
    assert.ok(issue !== undefined && issue.message.length < 300);
  });
});

describe('a schema that is not one', () => {
  const rows: readonly (readonly [unknown, RegExp])[] = [
    [{ type: 'str' }, /at #\/type: "str" is not a JSON type\. Use one of: string/],
    [{ type: [] }, /#\/type/],
    [
      { properties: { a: { pattern: '(' } } },
      /#\/properties\/a\/pattern.*not a regular expression/,
    ],
    [{ patternProperties: { '[': true } }, /#\/patternProperties/],
    [{ $ref: '#/$defs/b', $defs: { a: true } }, /"#\/\$defs\/b" points at nothing.*"a"/],
    [{ $ref: 'other.json' }, /another document.*\$defs/],
    [{ $ref: 'https://example.com/a.json#/x' }, /another document/],
    [{ $ref: '#nowhere' }, /\$anchor/],
    [{ $ref: '#/title', title: 'x' }, /not a schema/],
    [{ $ref: 3 }, /#\/\$ref: must be a string, but is 3/],
    [{ $ref: '#' }, /refers to itself/],
    [
      {
        $ref: '#/$defs/a',
        $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
      },
      /refers to itself/,
    ],
    [{ properties: [] }, /#\/properties: must be an object/],
    [{ items: 3 }, /#\/items: must be a schema/],
    [{ required: 'a' }, /#\/required: must be an array/],
    [{ required: [1] }, /property names/],
    [{ minimum: '3' }, /#\/minimum: must be a number/],
    [{ minLength: -1 }, /#\/minLength/],
    [{ multipleOf: 0 }, /more than 0/],
    [{ enum: 'a' }, /#\/enum: must be an array/],
    [{ anyOf: {} }, /#\/anyOf: must be an array/],
    [{ uniqueItems: 'yes' }, /true or false/],
    [{ properties: { 'a/b': { type: 'x' } } }, /#\/properties\/a~1b\/type/],
  ];

  it('is refused with its place and the fix', () => {
    for (const [schema, message] of rows) {
      assert.throws(
        () => compileSchema(JSON.parse(JSON.stringify(schema))),
        (error) => ForgeError.is(error, 'invalid_schema') && message.test(error.message),
        JSON.stringify(schema),
      );
    }
  });

  it('is refused when it is no object at all', () => {
    for (const schema of [null, undefined, 3, 'x', []]) {
      assert.throws(
        () => Reflect.apply(compileSchema, undefined, [schema]),
        (error) => ForgeError.is(error, 'invalid_schema'),
      );
    }
  });
});

describe('limits', () => {
  const nest = (depth: number, wrap: (inner: unknown) => unknown, start: unknown) => {
    let value = start;
    for (let i = 0; i < depth; i++) value = wrap(value);
    return value;
  };
  const deepSchema = (depth: number): JsonSchema => {
    let schema: JsonSchema = { type: 'string' };
    for (let i = 0; i < depth; i++) schema = { properties: { a: schema } };
    return schema;
  };

  it('refuses a value nested too deep, without overflowing the stack', () => {
    const compiled = compileSchema(tree);
    const deep = (depth: number) => nest(depth, (inner) => ({ v: 1, kids: [inner] }), { v: 1 });
    assert.ok(compiled.accepts(deep(150)));
    assert.ok(!compiled.accepts(deep(10_000)));
    assert.deepEqual(
      compiled.issues(deep(10_000)).map(({ keyword }) => keyword),
      ['limit'],
    );
    assert.ok(compiled.accepts(deep(3)), 'a later check starts afresh');
  });

  it('is not fooled by `not` when it gives up', () => {
    const compiled = compileSchema({
      not: { $ref: '#/$defs/list' },
      $defs: { list: { items: { $ref: '#/$defs/list' }, type: 'array' } },
    });
    assert.ok(!compiled.accepts(nest(10_000, (inner) => [inner], [])));
  });

  it('follows references from deep inside a schema safely', () => {
    const schema = {
      $ref: '#/$defs/x',
      $defs: { x: nest(90, (inner) => ({ properties: { a: inner } }), { $ref: '#/$defs/x' }) },
    };
    const value = nest(10_000, (inner) => ({ a: inner }), 1);
    assert.ok(!compileSchema(schema).accepts(value));
    assert.equal(compileSchema(schema).issues(value).length, 1);
  });

  it('checks deep values for equality safely', () => {
    const deep = nest(10_000, (inner) => [inner], []);
    assert.ok(!compileSchema({ uniqueItems: true }).accepts([deep, deep]));
    assert.ok(!compileSchema({ const: [[[]]] }).accepts(deep));
  });

  it('refuses a schema nested too deep, cyclic or endless', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.properties = { a: cyclic };
    let shared: JsonSchema = {};
    for (let i = 0; i < 40; i++) shared = { allOf: [shared, shared] };
    const constant = { const: nest(10_000, (inner) => [inner], 1) };
    for (const schema of [deepSchema(10_000), cyclic, shared, constant]) {
      assert.throws(
        () => compileSchema(schema),
        (error) => ForgeError.is(error, 'invalid_schema'),
      );
    }
    assert.ok(compileSchema(deepSchema(90)).accepts({}));
  });

  it('reads a long chain of references, and gives up on it when checking', () => {
    const $defs: Record<string, unknown> = { d10000: { type: 'string' } };
    for (let i = 0; i < 10_000; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
    const compiled = compileSchema({ $ref: '#/$defs/d0', $defs });
    assert.equal(compiled.issues('a')[0]?.keyword, 'limit');
  });

  it('gives up on schemas that branch without end', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { allOf: [next, next] };
    }
    assert.ok(!compileSchema({ $ref: '#/$defs/d0', $defs }).accepts('a'));
    const any = {
      anyOf: [
        { properties: { a: { $ref: '#' } }, required: ['b'] },
        { properties: { a: { $ref: '#' } }, required: ['c'] },
      ],
    };
    const compiled = compileSchema(any);
    assert.equal(compiled.issues(nest(60, (inner) => ({ a: inner }), {})).length, 1);
  });

  it('keeps long texts away from patterns that may backtrack', () => {
    const long = 'a'.repeat(20_000);
    assert.ok(!compileSchema({ pattern: '^(a+)+\\1$' }).accepts(long));
    assert.ok(!compileSchema({ not: { pattern: '^(a+)+\\1$' } }).accepts(long));
    assert.match(
      compileSchema({ pattern: '^(a+)+\\1$' }).issues(long)[0]?.message ?? '',
      /too long/,
    );
    assert.ok(compileSchema({ pattern: '^a+$' }).accepts(long));
    assert.ok(compileSchema({ pattern: 'a' }).accepts(long));
  });
});
