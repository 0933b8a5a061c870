import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rankFacts } from './rank-facts.ts';
import { wordsOf } from './words.ts';

describe('words', () => {
  it('are letters and digits, each once, without case and accents', () => {
    assert.deepEqual(wordsOf('Zürich, zurich: the Café no. 4!'), [
      'zurich',
      'the',
      'cafe',
      'no',
      '4',
    ]);
    assert.deepEqual(wordsOf('favoriteColor is_snake-case'), [
      'favoritecolor',
      'favorite',
      'color',
      'is',
      'snake',
      'case',
    ]);
    assert.deepEqual(wordsOf('iPhone東京'), ['iphone', 'i', 'phone', '東', '京', '東京']);
    assert.deepEqual(wordsOf(' -- "\'() '), []);
    assert.equal(wordsOf('x'.repeat(1_000))[0]?.length, 60);
  });

  it('hold nothing a database could take for syntax, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of wordsOf(text)) assert.match(word, /^[\p{L}\p{N}\p{M}\uFFFD]+$/u);
      }),
    );
  });

  it('are found again in the words they are made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        const words = new Set(wordsOf(text));
        for (const word of words) {
          const again = wordsOf(word);
          assert.ok(again.length === 0 || again.some((each) => words.has(each)), word);
        }
      }),
    );
  });
});

describe('rankFacts', () => {
  const hit = (id: number, bits: number, updatedAt = 0) => ({ id, bits, updatedAt });

  it('prefers rare words to common ones, keys to values, and the newest of equals', () => {
    const common = [1, 2, 3, 4].map((id) => hit(id, 0b0010));
    assert.equal(rankFacts([...common, hit(5, 0b1000)], { words: 2, limit: 1 })[0], 5);
    assert.deepEqual(rankFacts([hit(1, 0b10), hit(2, 0b01)], { words: 1, limit: 9 }), [2, 1]);
    assert.deepEqual(rankFacts([hit(1, 2, 5), hit(2, 2, 9)], { words: 1, limit: 9 }), [2, 1]);
    assert.deepEqual(rankFacts([], { words: 1, limit: 9 }), []);
  });

  it('reads the bits of the last word as well as of the first', () => {
    const last = 2 ** 47;
    assert.deepEqual(rankFacts([hit(1, 2), hit(2, 2 + last)], { words: 24, limit: 1 }), [2]);
  });
});
