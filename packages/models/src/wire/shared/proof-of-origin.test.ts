import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantPart } from '@forge/core';
import fc from 'fast-check';
import { markProofs, ownProofs, shownProofs } from './proof-of-origin.ts';
import { makers, openProof, sealProof } from './sealed-proof.ts';

const thought: AssistantPart = { type: 'reasoning', text: 'Hm.', signature: 'proof' };
const words: AssistantPart = { type: 'text', text: 'Hi' };

test('a proof goes back to its maker as it came', () => {
  for (const maker of makers) {
    const marked = markProofs([thought, words], maker);
    assert.deepEqual(ownProofs(marked, maker), [thought, words]);
    assert.deepEqual(shownProofs(marked, maker), [thought, words]);
  }
});

test('a proof goes to no API but its maker’s', () => {
  for (const maker of makers) {
    for (const other of makers.filter((name) => name !== maker)) {
      const [sent] = ownProofs(markProofs([thought], maker), other);
      assert.ok(sent?.type === 'reasoning' && sent.text === 'Hm.');
      assert.equal(sent.signature, undefined);
    }
  }
});

test('a proof a client of another wire gave back is its maker’s again, with its fields', () => {
  const marked = markProofs([{ ...thought, provider: { gemini: { part: { a: 1 } } } }], 'gemini');
  const shown = shownProofs(marked, 'anthropic-messages').map(
    (part): AssistantPart =>
      part.type === 'reasoning'
        ? { type: part.type, text: part.text, signature: part.signature }
        : part,
  );
  assert.deepEqual(ownProofs(markProofs(shown, 'anthropic-messages'), 'gemini'), [
    { ...thought, provider: { gemini: { part: { a: 1 } } } },
  ]);
});

test('a proof without a mark counts as the wire’s own', () => {
  for (const wire of makers) assert.deepEqual(ownProofs([thought], wire), [thought]);
});

test('what is sealed is found again, and nothing else is taken for a seal', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...makers),
      fc.option(fc.string(), { nil: undefined }),
      fc.dictionary(fc.string(), fc.integer()),
      (maker, signature, made) => {
        const fields = Object.fromEntries(Object.entries(made));
        const proof = { maker, ...(signature !== undefined && { signature }), fields };
        const opened = openProof(sealProof(proof));
        assert.deepEqual(opened, proof);
      },
    ),
    { seed: 3, numRuns: 200 },
  );
  for (const other of ['', 'EqQBCgIYAhIM', 'forge:', 'forge:nobody:{}', 'forge:gemini:{', 'x:y']) {
    assert.equal(openProof(other), undefined, other);
  }
});
