import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireErrorKind } from '../wire-error.ts';
import { createOpenaiChat, openaiChat } from './openai-chat.ts';

function decode(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return openaiChat.decodeError({ status, headers, body: text });
}

const overflows: Record<string, [number, unknown]> = {
  OpenAI: [
    400,
    {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  'OpenAI, one request beyond a minute': [
    429,
    {
      error: {
        message: 'Request too large for model gpt-x on tokens per min (TPM): Limit 1, Requested 2.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
  ],
  'llama.cpp': [
    400,
    {
      error: {
        code: 400,
        message: 'request (4390 tokens) exceeds the available context size (4096 tokens)',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 4390,
        n_ctx: 4096,
      },
    },
  ],
  'llama.cpp while it writes': [
    500,
    { error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' } },
  ],
  vLLM: [
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  'vLLM, prompt alone': [
    400,
    {
      error: {
        message:
          'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
        type: 'BadRequestError',
        code: 400,
      },
    },
  ],
  OpenRouter: [
    400,
    {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: '{"error":{"message":"prompt is too long: 250000 tokens > 200000"}}' },
      },
    },
  ],
  DeepSeek: [
    400,
    {
      error: {
        message:
          "This model's maximum context length is 131072 tokens. However, you requested more.",
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
  ],
  Groq: [
    400,
    {
      error: {
        message: 'Please reduce the length of the messages or completion.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  'LM Studio': [400, { error: 'Trying to keep the first 9000 tokens when context the overflows.' }],
  'a web server': [413, '<html><body>413 Request Entity Too Large</body></html>'],
};

for (const [server, [status, body]] of Object.entries(overflows)) {
  test(`recognises that the request is too large for the model: ${server}`, () => {
    assert.equal(decode(status, body).kind, 'context_overflow');
  });
}

const kinds: [string, number, unknown, WireErrorKind][] = [
  ['a wrong key', 401, { error: { message: 'Wrong', code: 'invalid_api_key' } }, 'auth'],
  ['no credit', 402, { error: { code: 402, message: 'Insufficient credits' } }, 'auth'],
  ['an empty account', 429, { error: { message: 'x', code: 'insufficient_quota' } }, 'auth'],
  ['no such model', 404, { error: { message: 'x', code: 'model_not_found' } }, 'not_found'],
  ['too many requests', 429, { error: { message: 'Slow down', type: 'requests' } }, 'rate_limited'],
  [
    'moderation',
    403,
    { error: { code: 403, message: 'Input was flagged', metadata: { reasons: ['x'] } } },
    'content_filter',
  ],
  ['a filter', 400, { error: { message: 'x', code: 'content_filter' } }, 'content_filter'],
  [
    'a model that loads',
    503,
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
    'overloaded',
  ],
  ['a status in the body', 200, { error: { code: 429, message: 'later' } }, 'rate_limited'],
  [
    'an image for a model that sees none',
    500,
    {
      error: {
        code: 500,
        message:
          'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        type: 'server_error',
      },
    },
    'bad_request',
  ],
  ['an error as text', 500, { error: 'model runner has stopped' }, 'unavailable'],
  [
    'a list of details',
    422,
    { detail: [{ loc: ['body', 'n'], msg: 'not a number' }] },
    'bad_request',
  ],
  ['a bare message', 400, { message: 'no' }, 'bad_request'],
  ['plain text', 504, 'upstream timed out', 'timeout'],
  ['a page', 502, '<!doctype html><p>Bad gateway', 'unavailable'],
  ['nothing', 500, '', 'unavailable'],
  ['success that is none', 200, 'hello', 'bad_response'],
];

for (const [what, status, body, kind] of kinds) {
  test(`reads ${what} as ${kind}`, () => assert.equal(decode(status, body).kind, kind));
}

test('tells a person what the server said, and keeps the body apart', () => {
  const error = decode(422, { detail: [{ loc: ['body', 'n'], msg: 'not a number' }] });
  assert.equal(error.message, 'The server answered 422: body.n: not a number');
  assert.equal(error.body, '{"detail":[{"loc":["body","n"],"msg":"not a number"}]}');
  assert.equal(decode(502, '<!doctype html><p>Bad').message, 'The server answered 502.');
  const long = decode(400, { error: { message: 'x'.repeat(100_000) } });
  assert.ok(long.message.length < 600);
  assert.equal(long.body?.length, 64 * 1024);
});

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
const fixedClock = createOpenaiChat({ now: () => now });

const waits: [Record<string, string>, number | undefined][] = [
  [{ 'retry-after': '7' }, 7000],
  [{ 'Retry-After': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': '20', 'retry-after-ms': '1500' }, 1500],
  [{ 'x-ratelimit-reset-requests': '1m30s', 'x-ratelimit-remaining-requests': '0' }, 90_000],
  [{ 'x-ratelimit-reset-requests': '24h', 'x-ratelimit-reset-tokens': '7.66s' }, 7660],
  [{ 'x-ratelimit-reset-tokens': '20ms' }, 20],
  [{ 'x-ratelimit-reset': String(now + 5000) }, 5000],
  [{ 'x-ratelimit-reset': String(now / 1000 + 5) }, 5000],
  [{ 'x-ratelimit-reset': '12' }, 12_000],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
];

for (const [headers, wait] of waits) {
  test(`waits ${wait} ms for ${JSON.stringify(headers)}`, () => {
    const error = fixedClock.decodeError({ status: 429, headers, body: '' });
    assert.equal(error.retryAfter, wait);
  });
}

test('finds the reset OpenRouter passes on in the body', () => {
  const body = JSON.stringify({
    error: {
      code: 429,
      message: 'Rate limit exceeded',
      metadata: { headers: { 'X-RateLimit-Reset': String(now + 9000) } },
    },
  });
  assert.equal(fixedClock.decodeError({ status: 429, headers: {}, body }).retryAfter, 9000);
});
