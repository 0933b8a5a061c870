import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPythonCalls } from './python-calls.ts';
import { ValueParser } from './value-parser.ts';

function calls(text: string, list = false) {
  const wanted = (name: string): boolean => name === 'f' || name === 'g';
  return readPythonCalls(new ValueParser(text), 0, { list, block: true, wanted });
}

describe('readPythonCalls', () => {
  it('reads named, positional and spread arguments', () => {
    const [call] = calls('f("x", 2, a=[1, (2, 3)], **{"b": None})').calls;
    assert.deepEqual(call?.positional, ['x', 2]);
    assert.deepEqual(call?.named, { a: [1, [2, 3]], b: null });
    assert.equal(call?.problem, undefined);
  });

  it('sees through assignments, print and await', () => {
    const read = calls('x = await f(a=1)\nprint(x)\nprint(g())');
    assert.deepEqual(
      read.calls.map((call) => call.name),
      ['f', 'g'],
    );
    assert.equal(read.program, false);
  });

  it('tells a program from calls', () => {
    for (const text of [
      'import os\nf(a=1)',
      'for x in y:\n    f(a=1)',
      'y = 1\nf(a=1)',
      'f(a=1)\nh()',
    ]) {
      assert.equal(calls(text).program, true, text);
    }
  });

  it('refuses what is not a literal', () => {
    for (const text of ['f(a=x.y)', 'f(a=1 + 2)', 'f(a=g())', 'f(a="x".upper())']) {
      assert.equal(calls(text).calls[0]?.problem, 'expression', text);
    }
  });

  it('marks unquoted words', () => {
    assert.deepEqual(calls('f(a=New York, b=1)').calls[0]?.barewords, ['a']);
  });

  it('tells a cut call from a whole one', () => {
    assert.equal(calls('f(a=1), g(', true).calls[1]?.cut, 'inside');
    assert.equal(calls('f(a="x"').calls[0]?.cut, 'closers');
    assert.equal(calls('f(a=1').calls[0]?.cut, 'inside');
  });
});
