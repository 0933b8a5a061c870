import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseJsonText, parseKeepingDigits } from './parse-json-text.ts';

it('parses JSON and says when a number lost its digits', () => {
  assert.deepEqual(parseJsonText('{"a":1}'), { ok: true, value: { a: 1 }, inexact: false });
  const big = parseJsonText('{"a":9007199254740993}');
  assert.ok(big.ok && big.inexact);
  const inText = parseJsonText('{"a":"9007199254740993"}');
  assert.ok(inText.ok && !inText.inexact);
  const fraction = parseJsonText('[3.14159265358979323846]');
  assert.ok(fraction.ok && !fraction.inexact);
  const broken = parseJsonText('{');
  assert.ok(!broken.ok && broken.reason !== '');
});

it('keeps the digits of whole numbers too large, and touches nothing else', () => {
  const text = String.raw`{"a": -90071992547409931, "b": "12345678901234567890 \" 12345678901234567890", "c": [12345678901234567890, 1, 2.5e3, 0.12345678901234567890]}`;
  assert.deepEqual(parseKeepingDigits(text), {
    ok: true,
    inexact: false,
    value: {
      a: '-90071992547409931',
      b: '12345678901234567890 " 12345678901234567890',
      c: ['12345678901234567890', 1, 2500, 0.12345678901234568],
    },
  });
});
