import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkArguments } from './check-arguments.ts';
import { compileSchema } from './compile-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** A tool whose only property is `x`, required. */
const withX = (x: unknown, more: { readonly [keyword: string]: unknown } = {}): JsonSchema => ({
  type: 'object',
  properties: { x },
  required: ['x'],
  additionalProperties: false,
  ...more,
});

const check = (schema: JsonSchema, input: unknown) => checkArguments(compileSchema(schema), input);

/** What became of the arguments, and the kinds of repair, in a form a table can hold. */
const outcome = (schema: JsonSchema, input: unknown): unknown => {
  const result = check(schema, input);
  return result.ok
    ? { args: result.args, kinds: result.repairs.map(({ kind }) => kind) }
    : { issues: result.issues.map(({ keyword }) => keyword) };
};

const integer = { type: 'integer' };
const number = { type: 'number' };
const text = { type: 'string' };
const flag = { type: 'boolean' };
const texts = { type: 'array', items: text };
const numbers = { type: 'array', items: number };
const point = { type: 'object', properties: { y: integer }, required: ['y'] };
const maybe = (schema: unknown) => ({ anyOf: [schema, { type: 'null' }] });

describe('a value of the wrong type that can only mean one thing', () => {
  const rows: readonly (readonly [unknown, unknown, unknown, readonly string[]])[] = [
    [integer, '3', 3, ['text_to_number']],
    [integer, ' 3.0 ', 3, ['text_to_number']],
    [number, '-2.5e1', -25, ['text_to_number']],
    [maybe(integer), '3', 3, ['text_to_number']],
    [{ enum: [1, 2] }, '2', 2, ['text_to_number']],
    [flag, 'true', true, ['text_to_boolean']],
    [flag, 'False', false, ['text_to_boolean']],
    [text, 3, '3', ['number_to_text']],
    [text, 2.5, '2.5', ['number_to_text']],
    [text, true, 'true', ['boolean_to_text']],
    [maybe(text), 3, '3', ['number_to_text']],
    [maybe(integer), 'None', null, ['text_to_null']],
    [{ type: ['integer', 'null'] }, 'null', null, ['text_to_null']],
    [texts, 'a', ['a'], ['value_to_list']],
    [numbers, 3, [3], ['value_to_list']],
    [numbers, '3', [3], ['value_to_list', 'text_to_number']],
    [{ type: 'array', items: point }, { y: 1 }, [{ y: 1 }], ['value_to_list']],
    [text, ['a'], 'a', ['list_to_value']],
    [point, [{ y: 1 }], { y: 1 }, ['list_to_value']],
    [integer, ['3'], 3, ['list_to_value', 'text_to_number']],
    [texts, '["a", "b"]', ['a', 'b'], ['json_text']],
    [point, '{"y": "1"}', { y: 1 }, ['json_text', 'text_to_number']],
    [point, '"{\\"y\\": 1}"', { y: 1 }, ['json_text']],
    [texts, '[1]', ['1'], ['json_text', 'number_to_text']],
    [{ enum: ['read', 'write'] }, ' Read', 'read', ['enum_spelling']],
    [{ const: 'ON' }, 'on', 'ON', ['enum_spelling']],
    [{ allOf: [{ type: ['integer', 'string'] }, integer] }, '3', 3, ['text_to_number']],
    [
      { type: 'array', prefixItems: [integer, text] },
      ['1', 2],
      [1, '2'],
      ['text_to_number', 'number_to_text'],
    ],
    [{ anyOf: [number, numbers] }, '3', 3, ['text_to_number']],
  ];
  it('is read as that', () => {
    for (const [schema, given, expected, kinds] of rows) {
      const label = JSON.stringify({ schema, given });
      assert.deepEqual(
        outcome(withX(schema), { x: given }),
        { args: { x: expected }, kinds },
        label,
      );
    }
  });
});

describe('a value that could mean two things, or would lose something', () => {
  const rows: readonly (readonly [unknown, unknown])[] = [
    [integer, '3.5'],
    [integer, 3.5],
    [integer, 'three'],
    [integer, '0x10'],
    [integer, '1,000'],
    [integer, ''],
    [integer, true],
    [integer, '9007199254740993'],
    [number, '12345678901234567890'],
    [number, '0.12345678901234567890123'],
    [number, '1e999'],
    [text, 2 ** 60],
    [text, null],
    [text, { a: 1 }],
    [text, ['a', 'b']],
    [text, []],
    [flag, 'yes'],
    [flag, 1],
    [flag, 'on'],
    [texts, 'a, b'],
    [texts, 'a\nb'],
    [texts, null],
    [numbers, 'a'],
    [maybe(text), { a: 1 }],
    [{ enum: ['a', 'A'] }, ' a '],
    [{ enum: ['read', 'write'] }, 'append'],
    [{ anyOf: [integer, texts] }, '3'],
    [{ anyOf: [flag, texts] }, 'true'],
    [point, '{y: 1}'],
    [point, '[1]'],
    [{ type: 'string', format: 'date' }, ['2025-01-01', '2025-01-02']],
  ];
  it('stays an issue', () => {
    for (const [schema, given] of rows) {
      const result = check(withX(schema), { x: given });
      assert.ok(!result.ok, JSON.stringify({ schema, given, result }));
      assert.notEqual(result.issues.length, 0);
    }
  });
});

describe('properties', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { file_path: text, limit: integer, tag: maybe(text) },
    required: ['file_path'],
    additionalProperties: false,
  };

  it('are found under another spelling of their name', () => {
    for (const name of ['filePath', 'FilePath', 'file-path', 'FILE_PATH', 'filepath']) {
      assert.deepEqual(outcome(schema, { [name]: 'a' }), {
        args: { file_path: 'a' },
        kinds: ['property_name'],
      });
    }
    const open = { ...schema, additionalProperties: undefined };
    assert.deepEqual(outcome(open, { filePath: 'a' }), {
      args: { file_path: 'a' },
      kinds: ['property_name'],
    });
  });

  it('are not renamed where two could be meant, or the schema knows the name', () => {
    assert.deepEqual(outcome(schema, { filePath: 'a', FILE_PATH: 'b' }), {
      issues: ['required', 'additionalProperties', 'additionalProperties'],
    });
    assert.ok(!check(schema, { file_path: 'a', filePath: 'b' }).ok);
    const map = { required: ['a_b'], additionalProperties: text };
    assert.ok(!check(map, { aB: 'x' }).ok);
    const both = withX(text, { properties: { x: text, X: text }, required: ['x'] });
    assert.ok(!check(both, { X: 'a' }).ok);
  });

  it('are left out when null, if they are optional and may not be null', () => {
    assert.deepEqual(outcome(schema, { file_path: 'a', limit: null }), {
      args: { file_path: 'a' },
      kinds: ['null_dropped'],
    });
    assert.deepEqual(outcome(schema, { file_path: 'a', tag: null }), {
      args: { file_path: 'a', tag: null },
      kinds: [],
    });
    assert.deepEqual(outcome(schema, { file_path: null }), { issues: ['type'] });
  });

  it('are never dropped when unknown, and never filled in when missing', () => {
    assert.deepEqual(outcome(schema, { file_path: 'a', more: null }), {
      issues: ['additionalProperties'],
    });
    assert.deepEqual(outcome(withX({ type: 'integer', default: 3 }), {}), { issues: ['required'] });
    const optional = { type: 'object', properties: { a: { default: 1 } } };
    assert.deepEqual(outcome(optional, {}), { args: {}, kinds: [] });
  });

  it('named like something every object has are only names', () => {
    const odd = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}},"required":["__proto__"]}',
    );
    const result = check(odd, JSON.parse('{"__proto__":"1","constructor":"2"}'));
    assert.ok(result.ok);
    assert.equal(JSON.stringify(result.args), '{"__proto__":1,"constructor":2}');
    assert.equal(Object.getPrototypeOf(result.args), Object.prototype);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});

describe('unions', () => {
  const shape: JsonSchema = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, radius: number },
        required: ['kind', 'radius'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'square' }, side: number },
        required: ['kind', 'side'],
      },
    ],
  };

  it('are repaired by the branch that was meant', () => {
    assert.deepEqual(outcome(shape, { kind: 'Square', side: '2' }), {
      args: { kind: 'square', side: 2 },
      kinds: ['enum_spelling', 'text_to_number'],
    });
  });

  it('follow an `if` that a repair turns', () => {
    const schema = {
      type: 'object',
      properties: { mode: { enum: ['fast', 'slow'] } },
      if: { properties: { mode: { const: 'fast' } } },
      ...Object.fromEntries([['then', { properties: { n: integer } }]]),
      else: { properties: { n: text } },
    };
    assert.deepEqual(outcome(schema, { mode: 'FAST', n: '3' }), {
      args: { mode: 'fast', n: 3 },
      kinds: ['enum_spelling', 'text_to_number'],
    });
  });

  it('that nest without end are given up on', () => {
    const branch = { $ref: '#/$defs/u' };
    const $defs = {
      u: {
        anyOf: [
          { type: 'object', properties: { a: branch, b: branch }, required: ['p'] },
          { type: 'object', properties: { a: branch, b: branch }, required: ['q'] },
          { type: 'array', items: branch, minItems: 9 },
        ],
      },
    };
    let value: unknown = '1';
    for (let i = 0; i < 40; i++) value = { a: value, b: value };
    assert.ok(!check({ ...branch, $defs }, value).ok);
  });
});

describe('the arguments as a whole', () => {
  const none: JsonSchema = { type: 'object', properties: { a: integer } };

  it('come back as the same object when they fit', () => {
    const args = { x: 3 };
    const result = check(withX(integer), args);
    assert.ok(result.ok);
    assert.equal(result.args, args);
    assert.deepEqual(result.repairs, []);
  });

  it('are read from JSON text, which is no repair', () => {
    assert.deepEqual(outcome(withX(integer), ' {"x": 3} '), { args: { x: 3 }, kinds: [] });
    assert.deepEqual(outcome(withX(integer), '{"x": "3"}'), {
      args: { x: 3 },
      kinds: ['text_to_number'],
    });
    assert.deepEqual(outcome(withX(integer), '"{\\"x\\": 3}"'), {
      args: { x: 3 },
      kinds: ['json_text'],
    });
    assert.deepEqual(outcome(withX(integer), '{"x": 3'), { issues: ['json'] });
    assert.deepEqual(outcome({}, 'hello'), { issues: ['json'] });
  });

  it('may be missing where nothing is required', () => {
    for (const empty of ['', '  ', null, undefined, 'null', '""']) {
      assert.deepEqual(outcome(none, empty), { args: {}, kinds: ['empty_arguments'] });
      assert.deepEqual(outcome(withX(integer), empty), { issues: ['required'] });
    }
  });

  it('are taken out of a wrapper the schema does not know', () => {
    for (const wrapper of ['arguments', 'input', 'parameters', 'args', 'params']) {
      assert.deepEqual(outcome(withX(integer), { [wrapper]: { x: 3 } }), {
        args: { x: 3 },
        kinds: ['unwrapped'],
      });
    }
    assert.deepEqual(outcome(withX(integer), { arguments: '{"x": "3"}' }), {
      args: { x: 3 },
      kinds: ['unwrapped', 'json_text', 'text_to_number'],
    });
    const known = { type: 'object', properties: { input: integer, x: integer }, required: ['x'] };
    assert.ok(!check(known, { input: { x: 3 } }).ok);
    assert.deepEqual(outcome(withX(integer), { arguments: { z: 1 } }), {
      issues: ['required', 'additionalProperties'],
    });
  });

  it('say what is wrong inside the wrapper', () => {
    const result = check(withX(integer), { arguments: { x: 'no' } });
    assert.ok(!result.ok);
    assert.deepEqual(result.issues[0]?.path, ['x']);
    assert.deepEqual(result.args, { x: 'no' });
  });

  it('are taken out of a list of one', () => {
    assert.deepEqual(outcome(withX(integer), [{ x: 3 }]), {
      args: { x: 3 },
      kinds: ['list_to_value'],
    });
  });

  it('must be an object even where the schema does not say so', () => {
    for (const input of [5, true, [1, 2], '[]', '3']) {
      const result = check({}, input);
      assert.ok(!result.ok);
      assert.match(result.issues[0]?.message ?? '', /must be an object/);
      assert.deepEqual(result.args, {});
    }
  });

  it('come as near as repairs bring them when they do not fit', () => {
    const schema = withX({ type: 'integer', minimum: 5 }, { required: ['x', 'y'] });
    const result = check(schema, { x: '3' });
    assert.ok(!result.ok);
    assert.deepEqual(result.args, { x: 3 });
    assert.deepEqual(result.issues.map(({ keyword }) => keyword).sort(), ['minimum', 'required']);
  });

  it('keep the digits of numbers past 2^53 where the text still has them', () => {
    const id = '12345678901234567890';
    assert.deepEqual(outcome(withX(text), `{"x": ${id}}`), {
      args: { x: id },
      kinds: ['digits_kept'],
    });
    assert.deepEqual(outcome(withX(text), { x: Number(id) }), { issues: ['type'] });
    assert.deepEqual(outcome(withX({ ...point, properties: { y: text } }), { x: `{"y": ${id}}` }), {
      args: { x: { y: id } },
      kinds: ['json_text'],
    });
  });

  it('never throw, however deep or odd', () => {
    let deep: unknown = '1';
    for (let i = 0; i < 10_000; i++) deep = [deep];
    const nested: JsonSchema = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/list' } },
      $defs: { list: { anyOf: [integer, { type: 'array', items: { $ref: '#/$defs/list' } }] } },
    };
    assert.deepEqual(outcome(nested, { x: [['1']] }), {
      args: { x: [[1]] },
      kinds: ['text_to_number'],
    });
    const inputs = [
      { x: deep },
      deep,
      '['.repeat(100_000),
      { x: () => 1 },
      { x: 10n },
      Symbol('a'),
    ];
    for (const schema of [withX(integer), withX(texts), nested, false]) {
      for (const input of inputs) assert.equal(check(schema, input).ok, false);
    }
  });
});
