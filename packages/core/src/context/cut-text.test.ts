import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutText, savedSpace } from './cut-text.ts';

test('keeps the beginning and the end and says how much is gone', () => {
  const cut = cutText(`START${'x'.repeat(1000)}END`, 100, savedSpace);
  assert.match(cut, /^STARTx+\n\[\.\.\. \d+ characters removed to save space \.\.\.\]\nx+END$/);
  const gone = Number(/\d+/.exec(cut)?.[0]);
  const kept = cut.replace(savedSpace(gone), '');
  assert.equal(kept.length + gone, 1008);
});

test('leaves alone what is short enough', () => {
  assert.equal(cutText('short', 5, savedSpace), 'short');
});

test('never grows, stays in its limit, and never splits a character', () => {
  const words = fc.string({ unit: 'grapheme', maxLength: 400 });
  fc.assert(
    fc.property(words, fc.nat(300), (text, limit) => {
      const cut = cutText(text, limit, savedSpace);
      assert.ok(cut.length <= text.length);
      assert.ok(cut.length <= Math.max(limit, savedSpace(text.length).length));
      assert.ok(cut.isWellFormed());
    }),
    { seed: 7 },
  );
});
