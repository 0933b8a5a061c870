import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ValueParser } from './value-parser.ts';

function read(
  text: string,
  python = false,
): { value: unknown; repairs: string[]; parser: ValueParser } {
  const parser = new ValueParser(text);
  const value = parser.read(0, { python });
  return { value, repairs: [...parser.repairs], parser };
}

const mended: readonly (readonly [text: string, value: unknown, repair: string])[] = [
  ['{"a": 1,}', { a: 1 }, 'trailing_comma'],
  ['[1, 2,]', [1, 2], 'trailing_comma'],
  ['{"a": 1,, "b": 2}', { a: 1, b: 2 }, 'extra_comma'],
  ['{"a": "x" "b": 2}', { a: 'x', b: 2 }, 'missing_comma'],
  ['{"a": "x"\n"b": 2}', { a: 'x', b: 2 }, 'missing_comma'],
  ["{'a': 'x'}", { a: 'x' }, 'single_quotes'],
  ["{'a': 'it's'}", { a: "it's" }, 'unescaped_quotes'],
  ['{"a": "say "hi" now"}', { a: 'say "hi" now' }, 'unescaped_quotes'],
  ['{"a": "say "hi", then go", "b": 1}', { a: 'say "hi", then go', b: 1 }, 'unescaped_quotes'],
  ['{“a”: “x”}', { a: 'x' }, 'smart_quotes'],
  ['{"a"：1，"b"：2}', { a: 1, b: 2 }, 'full_width'],
  ['{a: 1}', { a: 1 }, 'unquoted_key'],
  ['{"a": Oslo}', { a: 'Oslo' }, 'bareword'],
  ['{"a": 007}', { a: '007' }, 'bareword'],
  ['{"a": 2024-01-02}', { a: '2024-01-02' }, 'bareword'],
  ['{"a": True, "b": None}', { a: true, b: null }, 'python_literal'],
  ['{"a": NaN}', { a: null }, 'python_literal'],
  ['{"a": 0x1F}', { a: 31 }, 'number'],
  ['{"a": +1}', { a: 1 }, 'number'],
  ['{"a": 1_000}', { a: 1000 }, 'number'],
  ['{"a": .5}', { a: 0.5 }, 'number'],
  ['{"a": "x\ny\u0000"}', { a: 'x\ny\u0000' }, 'raw_control'],
  [String.raw`{"a": "C:\Users\me"}`, { a: String.raw`C:\Users\me` }, 'invalid_escape'],
  [`{"a": "${'\\'}u12 ${'\\'}d+"}`, { a: `${'\\'}u12 ${'\\'}d+` }, 'invalid_escape'],
  ['{"a": """x "y" z"""}', { a: 'x "y" z' }, 'triple_quotes'],
  ['{"a": `x "y"`}', { a: 'x "y"' }, 'single_quotes'],
  ['{"a": 1 // one\n}', { a: 1 }, 'comment'],
  ['{/* one */ "a": 1}', { a: 1 }, 'comment'],
  ['{"a": "{"b": 1}"}', { a: { b: 1 } }, 'unescaped_quotes'],
  ['{"a": "x" + "y"}', { a: 'xy' }, 'joined_strings'],
  [String.raw`{\"a\": \"x\"}`, { a: 'x' }, 'escaped_quotes'],
  ['{"a"="x", "b"=2}', { a: 'x', b: 2 }, 'equals_sign'],
  ['{"a": [1, 2}', { a: [1, 2] }, 'missing_closer'],
  ['{"a": {"b": 1</tool_call>', { a: { b: 1 } }, 'missing_closer'],
  ['{"a": "x}</tool_call>', { a: 'x' }, 'missing_quote'],
  ['{a:<|"|>x, "y"<|"|>}', { a: 'x, "y"' }, 'word_quotes'],
];

describe('ValueParser', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.boolean(), (json, pretty) => {
        const value: unknown = JSON.parse(json);
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        if (typeof value !== 'object' || value === null) return;
        const { value: read_, repairs, parser } = read(text);
        assert.deepEqual(read_, value);
        assert.deepEqual(repairs, []);
        assert.equal(parser.pos, text.length);
      }),
      { numRuns: 500 },
    );
  });

  for (const [text, value, repair] of mended) {
    it(`mends ${JSON.stringify(text)}`, () => {
      const result = read(text);
      assert.deepEqual(result.value, value);
      assert.ok(result.repairs.includes(repair), result.repairs.join());
    });
  }

  it('reads Python literals and nothing that would have to be evaluated', () => {
    assert.deepEqual(read("{'a': (1, 'x'\n'y'), 'b': r'\\n'}", true).value, {
      a: [1, 'xy'],
      b: '\\n',
    });
    for (const text of ['[f(1)]', '[1 + 2]', '[a.b]', '[f"{a}"]']) {
      assert.equal(read(text, true).parser.expression, true, text);
    }
  });

  it('tells where a text was cut', () => {
    const cuts: readonly (readonly [string, string])[] = [
      ['{"a": "x"', 'closers'],
      ['{"a": {"b": 1}', 'closers'],
      ['{"a": true', 'closers'],
      ['{"a": 12', 'inside'],
      ['{"a": "x', 'inside'],
      ['{"a": "x",', 'inside'],
      ['{"a":', 'inside'],
      ['{"a', 'inside'],
      ['{"a": Osl', 'inside'],
      ['{"a": 1}', 'no'],
    ];
    for (const [text, cut] of cuts) assert.equal(read(text).parser.cut, cut, text);
  });

  it('notices a placeholder', () => {
    for (const text of ['{"a": ...}', '{...}', '[...]']) {
      assert.equal(read(text).parser.placeholder, true, text);
    }
  });

  it('gives up on what is not a value, at the place where it is not', () => {
    const { parser } = read('{ return 1; }');
    assert.equal(parser.broken, true);
    assert.ok(parser.pos < 10);
  });

  it('does not go deeper than a call can', () => {
    assert.equal(read('['.repeat(100_000)).parser.broken, true);
  });
});
