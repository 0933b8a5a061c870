import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError, type Wire } from '@forge/models';
import { createTokenCounter } from './count-tokens.ts';
import type { Ask } from './count-ways.ts';

const body = {
  model: 'm',
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'How many?' }],
  tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
};

const picture = {
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      ],
    },
  ],
};

/** A backend that has these paths; remembers what it was asked. */
function backend(pages: Readonly<Record<string, unknown>>): { ask: Ask; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async ask(path, sent) {
      asked.push(path);
      const page = pages[path];
      const answer = typeof page === 'function' ? page(sent) : page;
      return answer === undefined
        ? { status: 404, body: 'not found' }
        : { status: 200, body: typeof answer === 'string' ? answer : JSON.stringify(answer) };
    },
  };
}

function counter(wire: Wire['name'] = 'openai-chat', now: () => number = () => 0) {
  const count = createTokenCounter({ wire, now });
  const { signal } = new AbortController();
  return (asked: unknown, ask: Ask) => count(asked, { ask, signal });
}

test('asks the backend itself, without what does not count', async () => {
  let sent: unknown;
  const page = (got: unknown) => {
    sent = got;
    return { input_tokens: 42 };
  };
  const { ask } = backend({ '/v1/messages/count_tokens': page });
  const count = await counter()({ ...body, max_tokens: 5 }, ask);
  assert.deepEqual(count, { tokens: 42, by: 'backend', body: '{"input_tokens":42}' });
  assert.ok(typeof sent === 'object' && sent !== null && !('max_tokens' in sent));
});

test('asks the template and the tokenizer of llama.cpp next', async () => {
  const { ask, asked } = backend({
    '/apply-template': { prompt: '<s>How many?' },
    '/tokenize': ({ content }: { content: string }) => ({ tokens: [...content] }),
  });
  const count = counter();
  assert.deepEqual(await count(body, ask), {
    tokens: 12,
    by: 'tokenizer',
    body: '{"input_tokens":12}',
  });
  assert.equal((await count(body, ask)).by, 'tokenizer');
  assert.deepEqual(asked, [
    '/v1/messages/count_tokens',
    ...['/apply-template', '/tokenize'],
    ...['/apply-template', '/tokenize'],
  ]);
});

test('then the tokenizer of vLLM', async () => {
  const { ask } = backend({
    '/tokenize': ({ messages }: { messages?: unknown[] }) =>
      messages === undefined ? undefined : { count: 7, max_model_len: 10, tokens: [] },
  });
  assert.equal((await counter()(body, ask)).tokens, 7);
});

test('guesses where nobody counts, and does not ask again for a while', async () => {
  const { ask, asked } = backend({});
  let now = 0;
  const count = counter('openai-chat', () => now);
  const first = await count(body, ask);
  assert.equal(first.by, 'estimate');
  assert.ok(first.tokens > 10 && first.tokens < 100, String(first.tokens));
  const before = asked.length;
  await count(body, ask);
  assert.equal(asked.length, before);
  now = 60_000;
  await count(body, ask);
  assert.equal(asked.length, 2 * before);
});

test('guesses where the answer is nonsense, or there is none', async () => {
  const { ask } = backend({
    '/v1/messages/count_tokens': { input_tokens: 'many' },
    '/apply-template': '<html>',
    '/tokenize': { tokens: 3 },
  });
  assert.equal((await counter()(body, ask)).by, 'estimate');
  const dead: Ask = () => Promise.reject(new Error('no connection'));
  assert.equal((await counter()(body, dead)).by, 'estimate');
});

test('does not let a template count pictures it does not see', async () => {
  const { ask, asked } = backend({
    '/apply-template': { prompt: '' },
    '/tokenize': { tokens: [] },
  });
  const count = counter();
  const guessed = await count(picture, ask);
  assert.equal(guessed.by, 'estimate');
  assert.ok(guessed.tokens > 1_000);
  assert.ok(!asked.includes('/tokenize'));
  assert.equal((await count(body, ask)).by, 'tokenizer');
});

test('asks each kind of backend in its own words', async () => {
  const google = backend({ '/v1beta/models/m:countTokens': { totalTokens: 3 } });
  assert.equal((await counter('gemini')(body, google.ask)).tokens, 3);
  const openai = backend({ '/v1/responses/input_tokens': { input_tokens: 4 } });
  assert.equal((await counter('openai-responses')(body, openai.ask)).tokens, 4);
});

test('refuses what is no such request', async () => {
  const { ask } = backend({});
  for (const bad of [null, 'x', { messages: 7 }]) {
    await assert.rejects(
      counter()(bad, ask),
      (error) => error instanceof ModelError && error.kind === 'bad_request',
    );
  }
});
