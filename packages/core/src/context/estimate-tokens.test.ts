import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Message, text, userMessage } from '../messages/message.ts';
import { assistant, result, resultPart } from './build-window.test.ts';
import {
  estimateMessageTokens,
  estimateTextTokens,
  estimateToolTokens,
  imageTokens,
} from './estimate-tokens.ts';

test('English is about four characters a token', () => {
  const words =
    'Forge runs agents that finish. Every turn of a model is guarded, and each step stands on a durable log. '.repeat(
      20,
    );
  const ratio = words.length / estimateTextTokens(words);
  assert.ok(ratio > 3.6 && ratio < 4.6, `${ratio} characters a token`);
});

// Counts by two public vocabularies (100k and 200k entries), taken once; ours must lie near them.
const samples = [
  { what: 'digits', text: '7919.123 15838.246 23757.369 31676.492', low: 19, high: 19 },
  { what: 'hex', text: '7b0a2020226e616d65223a2022666f726765222c', low: 21, high: 21 },
  {
    what: 'Chinese',
    text: '敏捷的棕色狐狸跳过了懒惰的狗，然后回家和朋友们一起吃晚饭。',
    low: 27,
    high: 47,
  },
  {
    what: 'Russian',
    text: 'Быстрая коричневая лиса прыгает через ленивую собаку',
    low: 19,
    high: 27,
  },
];
for (const { what, text: sample, low, high } of samples) {
  test(`${what} weighs more than its length in English would`, () => {
    const tokens = estimateTextTokens(sample);
    assert.ok(tokens >= low * 0.8 && tokens <= high * 1.2, `${tokens} for ${low} to ${high}`);
    assert.ok(tokens > sample.length / 4);
  });
}

test('call names, ids and arguments count, as they are sent', () => {
  const bare = assistant({ type: 'tool_call', id: 'a', name: 'w', args: {} });
  const full = assistant({
    type: 'tool_call',
    id: 'a',
    name: 'w',
    args: { body: 'word '.repeat(400) },
  });
  assert.ok(estimateMessageTokens(full) > estimateMessageTokens(bare) + 350);
  const longId = assistant({ type: 'tool_call', id: 'a'.repeat(60), name: 'w', args: {} });
  assert.ok(estimateMessageTokens(longId) > estimateMessageTokens(bare));
  const exact = assistant({
    type: 'tool_call',
    id: 'a',
    name: 'w',
    args: {},
    argsText: '9'.repeat(99),
  });
  assert.ok(estimateMessageTokens(exact) > estimateMessageTokens(bare) + 40);
});

test('reasoning, its signature, images and results count', () => {
  const plain = estimateMessageTokens(assistant(text('hello')));
  const reasoning = {
    type: 'reasoning' as const,
    text: 'because '.repeat(50),
    signature: 'c2ln'.repeat(50),
  };
  assert.ok(estimateMessageTokens(assistant(reasoning, text('hello'))) > plain + 150);
  const image = { type: 'image' as const, mediaType: 'image/png', source: { data: 'AAAA' } };
  assert.ok(estimateMessageTokens({ role: 'user', content: [image] }) >= imageTokens);
  const shown: Message = {
    role: 'tool',
    content: [{ ...resultPart('a', 'see'), content: [text('see'), image] }],
  };
  assert.ok(
    estimateMessageTokens(shown) >= estimateMessageTokens(result('a', 'see')) + imageTokens,
  );
});

test('no message is free, not even an empty one', () => {
  assert.ok(estimateMessageTokens({ role: 'assistant', content: [] }) > 0);
  assert.ok(estimateMessageTokens(userMessage('')) > 0);
});

test('tool definitions count with name, description and schema', () => {
  assert.equal(estimateToolTokens([]), 0);
  const small = [{ name: 'a', description: 'b', inputSchema: true }];
  const large = [
    {
      name: 'a',
      description: 'b'.repeat(100),
      inputSchema: { type: 'object', required: ['path'] },
    },
  ];
  assert.ok(estimateToolTokens(large) > estimateToolTokens(small) + 30);
});

test('a part is counted once, however often its message is asked for', () => {
  let reads = 0;
  const part = text('');
  Object.defineProperty(part, 'text', { get: () => `${++reads} words to weigh` });
  const message = userMessage('');
  const watched: Message = { ...message, role: 'user', content: [part] };
  const first = estimateMessageTokens(watched);
  assert.equal(estimateMessageTokens({ ...watched, content: [part] }), first);
  assert.equal(reads, 1);
});

test('more text never costs less', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (head, tail) => {
      assert.ok(estimateTextTokens(head + tail) >= estimateTextTokens(head));
    }),
    { seed: 7 },
  );
});
