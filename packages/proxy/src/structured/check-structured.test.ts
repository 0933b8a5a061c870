import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSchemaCache, type JsonSchema } from '@forge/core';
import type { ResponseFormat } from '@forge/models';
import fc from 'fast-check';
import { checkStructured, type StructuredCheck } from './check-structured.ts';

const schemas = createSchemaCache({ max: 100 });
const json: ResponseFormat = { type: 'json' };
const person: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};

function schemaFormat(schema: JsonSchema): ResponseFormat {
  return { type: 'json_schema', name: 'person', schema };
}

function check(text: string, format: ResponseFormat = schemaFormat(person)): StructuredCheck {
  return checkStructured({ format, text, compile: schemas.get });
}

function taken(text: string, format?: ResponseFormat): { text: string; mended: readonly string[] } {
  const checked = check(text, format);
  assert.ok(checked.ok, checked.ok ? '' : checked.nudge);
  return checked;
}

function nudge(text: string, format?: ResponseFormat): string {
  const checked = check(text, format);
  assert.ok(!checked.ok, 'expected a nudge');
  return checked.nudge;
}

describe('checkStructured', () => {
  it('returns what fits as it came, spaces and all', () => {
    const text = '\n{ "name": "Ada",\t"age": 36 }\n';
    assert.deepEqual(taken(text), { ok: true, text, mended: [] });
    assert.deepEqual(taken('{}', json), { ok: true, text: '{}', mended: [] });
  });

  it('leaves digits past 2^53 alone where nothing has to be written again', () => {
    const text = '{"id": 12345678901234567890123}';
    assert.equal(taken(text, json).text, text);
    assert.equal(taken(`Here:\n${text}`, json).text, text);
  });

  const around: readonly (readonly [string, string, string])[] = [
    ['a fence', '```json\n{"name":"Ada","age":36}\n```', 'took the JSON out of a code fence'],
    ['a bare fence', '```\n{"name":"Ada","age":36}\n```', 'took the JSON out of a code fence'],
    [
      'words and a fence',
      'Sure!\n```JSON\n{"name":"Ada","age":36}\n```\nAnything else?',
      'took the JSON out of a code fence',
    ],
    [
      'a fence that is not closed',
      '```json\n{"name":"Ada","age":36}',
      'took the JSON out of a code fence',
    ],
    [
      'words',
      'The answer is {"name":"Ada","age":36}. Good luck [1]!',
      'took the JSON out of the text around it',
    ],
    [
      'the same value twice',
      '{"name":"Ada","age":36}\n{"name":"Ada","age":36}',
      'took the JSON out of the text around it',
    ],
    [
      'a byte order mark',
      '\uFEFF{"name":"Ada","age":36}',
      'took the JSON out of the text around it',
    ],
    [
      'a thought',
      '<think>{"name":"Bob","age":1}?</think>{"name":"Ada","age":36}',
      'left the reasoning out of the answer',
    ],
    [
      'an echo of the schema',
      'For {"type":"object"} I say {"name":"Ada","age":36}',
      'took the JSON out of the text around it',
    ],
  ];
  for (const [what, text, mended] of around) {
    it(`takes JSON out of ${what}`, () => {
      assert.deepEqual(taken(text), {
        ok: true,
        text: '{"name":"Ada","age":36}',
        mended: [mended],
      });
    });
  }

  const damaged: readonly (readonly [string, string])[] = [
    ['a trailing comma', '{"name":"Ada","age":36,}'],
    ['single quotes', "{'name':'Ada','age':36}"],
    ['a missing brace', '{"name":"Ada","age":"36"'],
    ['a missing brace in a fence', '```json\n{"name":"Ada","age":36\n```'],
    ['a comment', '{"name":"Ada", // her name\n"age":36}'],
    ['a number as text', '{"name":"Ada","age":"36"}'],
    ['JSON in a string', JSON.stringify('{"name":"Ada","age":36}')],
    ['another spelling of a name', '{"Name":"Ada","age":36}'],
    ['a trailing comma among words', 'Here you are: {"name":"Ada","age":36,} – done.'],
    ['text for a number in a fence', 'So:\n```json\n{"name":"Ada","age":"36"}\n```'],
  ];
  for (const [what, text] of damaged) {
    it(`mends ${what}`, () => {
      const checked = taken(text);
      assert.equal(checked.text, '{"name":"Ada","age":36}');
      assert.ok(checked.mended.length > 0);
    });
  }

  it('says where it mended what', () => {
    assert.deepEqual(taken('{"name":"Ada","age":"36",}').mended, [
      'JSON: trailing_comma',
      'age: read the string "36" as an integer',
    ]);
  });

  it('checks lists and plain values too', () => {
    const list = schemaFormat({ type: 'array', items: { type: 'integer' } });
    assert.equal(taken('```json\n[1, 2]\n```', list).text, '[1, 2]');
    assert.match(nudge('[1, "b"]', list), /\[1\]: must be an integer.*For example: \[\d+\]/);
    const word = schemaFormat({ enum: ['yes', 'no'] });
    assert.equal(taken('"yes"', word).text, '"yes"');
    assert.match(nudge('maybe', word), /not valid JSON/);
  });

  it('asks only for JSON where the schema cannot be compiled', () => {
    const broken = schemaFormat({ type: 'no such type' });
    assert.equal(taken('[1]', broken).text, '[1]');
    assert.match(nudge('words', broken), /^\[BadFormat\] .*not valid JSON/);
  });

  it('names the place, what is expected, and a right example', () => {
    assert.equal(
      nudge('{"name":"Ada"}'),
      '[BadFormat] Your reply was not used: it does not fit. age: is required but missing: it must be an integer. ' +
        'Reply with one JSON value alone, no words and no code fence around it. ' +
        'For example: {"name":"text","age":1}',
    );
  });

  it('does not guess', () => {
    assert.match(
      nudge('{"name":"Ada","age":36} or {"name":"Bob","age":7}'),
      /it holds 2 JSON values, and one was asked for/,
    );
    assert.match(nudge('{"name":"Ada","age":"3"} or {"name":"Bob","age":"7"}'), /holds 2/);
    assert.match(nudge('   '), /it is empty/);
    assert.match(nudge('<think>hm'), /it is empty/);
    assert.match(nudge('null', json), /\(root\): must be an object, received null/);
    assert.match(nudge('""', json), /must be an object/);
    assert.match(nudge('[{"a":1}]', json), /must be an object, received an array of 1/);
    // There may have been more digits.
    assert.match(nudge('{"name":"Ada","age":36'), /not valid JSON/);
    // The inner object is not the answer because the outer one was cut.
    assert.match(nudge('{"a": {"b": 1}, "c": "and then', json), /not valid JSON/);
    assert.match(nudge('Look: {"a": {"b": 1}, "c": "and then', json), /not valid JSON/);
  });

  it('does not take the first half of an object with quotes that are not escaped', () => {
    const checked = check('So: {"a": "he said "}" to me", "b": 2}', json);
    assert.ok(!checked.ok || checked.text.includes('"b"'));
  });

  it('asks again instead of writing digits it cannot hold', () => {
    const ids = schemaFormat({
      type: 'object',
      properties: { id: { type: 'integer' }, n: { type: 'integer' } },
    });
    assert.match(nudge('{"id": 12345678901234567890, "n": "5"}', ids), /n: must be an integer/);
    assert.match(nudge('{"id": 12345678901234567890, "n": 5,}', ids), /not valid JSON/);
    assert.match(nudge('{"x": 1e999, "n": 5,}', ids), /not valid JSON/);
    const text = schemaFormat({ type: 'object', properties: { id: { type: 'string' } } });
    assert.equal(taken('{"id": 12345678901234567890}', text).text, '{"id":"12345678901234567890"}');
  });

  it('keeps its nudges short', () => {
    const names = Array.from({ length: 400 }, (_, n) => `property_${n}`);
    const large = schemaFormat({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: names,
    });
    const said = nudge(JSON.stringify({ ['x'.repeat(50_000)]: 'y'.repeat(50_000) }), large);
    assert.ok(said.length < 6_000, String(said.length));
    assert.match(said, /It needs: "property_0", .*400 in all/);
    const long = nudge(`{"${'k'.repeat(9_000)}": 1, "name": "a", "age": 1}`);
    assert.ok(long.length < 2_000, String(long.length));
  });

  it('gets through a page of brackets', () => {
    for (const text of ['{', '[', '{"', '}', '```\n', '{}', '{"a":', '\\"'].map((piece) =>
      piece.repeat(20_000),
    )) {
      assert.equal(check(text).ok, false);
    }
  });

  it('takes any object from between any words without brackets', () => {
    const words = fc.string().map((text) => text.replaceAll(/[{}[\]`<>:]/g, ' '));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), words, words, (value, a, b) => {
        const text = JSON.stringify(value);
        assert.equal(taken(`${a} ${text} ${b}`, json).text.trim(), text);
      }),
    );
  });

  it('never throws, and what it takes fits', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      'name',
      ':',
      ',',
      '36',
      '```',
      '\n',
      '\\',
      "'",
      '"age"',
      '"name":"Ada"',
      ' ',
      '<think>',
      '</think>',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const checked = check(parts.join(''));
        if (checked.ok) assert.ok(schemas.get(person).accepts(JSON.parse(checked.text)));
      }),
      { numRuns: 1_000 },
    );
  });
});
