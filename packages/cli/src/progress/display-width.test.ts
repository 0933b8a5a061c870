import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutToWidth, displayWidth } from './display-width.ts';

describe('the width of a text', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['', 0],
    ['forge', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['👩\u200d👩\u200d👧', 2],
    ['✓ ok…', 5],
    ['⠋├─└', 4],
    ['❤️', 2],
  ];
  for (const [text, width] of rows) {
    it(`of ${JSON.stringify(text)} is ${width}`, () => assert.equal(displayWidth(text), width));
  }
});

describe('a text that is cut', () => {
  it('says that something is missing, and never cuts a character in two', () => {
    assert.equal(cutToWidth('forge', 5), 'forge');
    assert.equal(cutToWidth('forge run', 5), 'forg…');
    assert.equal(cutToWidth('漢字漢字', 5), '漢字…');
    assert.equal(cutToWidth('漢字漢字', 4), '漢…');
    assert.equal(cutToWidth('anything', 0), '');
  });

  it('always fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, width) => {
        assert.ok(displayWidth(cutToWidth(text, width)) <= width);
      }),
    );
  });
});
