import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ToolResultPart, text } from '../messages/message.ts';
import { resultPart } from './build-window.test.ts';
import { cutResult, maxResultTokens, shrinkResult, textIn } from './cut-result.ts';
import { savedSpace } from './cut-text.ts';
import { estimateTextTokens, imageTokens } from './estimate-tokens.ts';

const image = { type: 'image' as const, mediaType: 'image/png', source: { data: 'AAAA' } };

test('a result that fits is left as it is', () => {
  const small = resultPart('a', 'fine');
  assert.equal(cutResult(small, { maxTokens: 200 }), small);
});

test('a large result keeps head and tail and says how to get the rest', () => {
  const large = resultPart('a', `HEAD ${'log line\n'.repeat(10_000)} TAIL`);
  const cut = cutResult({ ...large, isError: true }, { maxTokens: 500 });
  const words = textIn(cut);
  assert.ok(estimateTextTokens(words) <= 500);
  assert.ok(estimateTextTokens(words) > 350, 'uses the room it has');
  assert.ok(words.startsWith('HEAD') && words.endsWith('TAIL'));
  assert.match(
    words,
    /\[\.\.\. \d+ characters removed, the result was too long\. Ask for a smaller part if you need the rest\. \.\.\.\]/,
  );
  assert.deepEqual([cut.callId, cut.name, cut.isError], ['a', 'read', true]);
});

test('the hint is the tool’s own if it has one', () => {
  const cut = cutResult(resultPart('a', 'x '.repeat(9_000)), {
    maxTokens: 500,
    hint: 'Use offset=200.',
  });
  assert.match(textIn(cut), /Use offset=200\./);
});

test('images stay as far as they fit, and a line says how many did not', () => {
  const shown: ToolResultPart = {
    ...resultPart('a', 'four'),
    content: [text('four'), image, image, image, image],
  };
  const cut = cutResult(shown, { maxTokens: imageTokens * 3 });
  assert.equal(cut.content.filter((part) => part.type === 'image').length, 1);
  assert.match(textIn(cut), /^four\n\[3 images left out, too large\./);
});

test('a quarter of the budget is one result’s share', () => {
  assert.equal(maxResultTokens(8_000), 2_000);
});

test('cutting fits the limit, keeps characters whole and is done after once', () => {
  const parts = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme', maxLength: 3_000 }).map(text), fc.constant(image)),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(parts, fc.nat(2_000), (content, maxTokens) => {
      const cut = cutResult({ ...resultPart('a', ''), content }, { maxTokens });
      const images = cut.content.filter((part) => part.type === 'image').length;
      const tokens = estimateTextTokens(textIn(cut)) + images * imageTokens;
      assert.ok(tokens <= Math.max(maxTokens, 200));
      assert.ok(textIn(cut).isWellFormed());
      assert.equal(cutResult(cut, { maxTokens }), cut);
    }),
    { seed: 7 },
  );
});

test('shrinking drops images with a note and leaves short results alone', () => {
  const short = resultPart('a', 'x'.repeat(200));
  assert.equal(shrinkResult(short, { maxChars: 200, marker: savedSpace }), short);
  const shown: ToolResultPart = { ...short, content: [text('see'), image] };
  const shrunk = shrinkResult(shown, { maxChars: 200, marker: savedSpace });
  assert.equal(textIn(shrunk), 'see\n[1 image removed to save space]');
});
