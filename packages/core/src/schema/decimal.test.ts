import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exactNumber, isMultipleOf } from './decimal.ts';

describe('exactNumber', () => {
  it('reads what a number can hold', () => {
    for (const text of [
      '0',
      '-0',
      '3',
      '3.0',
      '-2.50',
      '1e3',
      '1E+2',
      '0.1',
      '9007199254740991',
      '5e-324',
    ]) {
      assert.equal(exactNumber(text), Number(text), text);
    }
  });

  it('reads nothing that would lose digits or is not a JSON number', () => {
    const lossy = [
      '9007199254740992',
      '9007199254740993',
      '0.1234567890123456789',
      '1e400',
      '1e-400',
      '1e21',
    ];
    const odd = [
      '',
      ' 3',
      '+3',
      '.5',
      '5.',
      '0x1',
      '1_000',
      '1,000',
      '01',
      'NaN',
      'Infinity',
      '1e',
      '--1',
    ];
    for (const text of [...lossy, ...odd]) assert.equal(exactNumber(text), undefined, text);
  });

  it('gives back any number that is written out, unless it is whole and past 2^53', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const expected =
          Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
        assert.equal(exactNumber(String(value)), expected === 0 ? 0 : expected);
      }),
      { seed: 1 },
    );
  });
});

it('isMultipleOf counts in decimal', () => {
  assert.ok(isMultipleOf(0.3, 0.1));
  assert.ok(isMultipleOf(-4.35, 0.01));
  assert.ok(isMultipleOf(1e300, 0.5));
  assert.ok(!isMultipleOf(0.35, 0.1));
  assert.ok(!isMultipleOf(1e308, 0.123456789));
  assert.ok(!isMultipleOf(Number.NaN, 1));
});
