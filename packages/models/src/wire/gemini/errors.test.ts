import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gemini } from './index.ts';

function decode(status: number, error: object | undefined, headers: Record<string, string> = {}) {
  const body = error === undefined ? '<html>Bad</html>' : JSON.stringify({ error });
  return gemini.decodeError({ status, headers, body });
}

test('tells what went wrong', () => {
  for (const [code, status, message, kind] of [
    [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'auth'],
    [403, 'PERMISSION_DENIED', 'Denied.', 'auth'],
    [404, 'NOT_FOUND', 'models/x is not found for API version v1beta.', 'not_found'],
    [400, 'INVALID_ARGUMENT', 'Function call is missing a thought_signature.', 'bad_request'],
    [400, 'FAILED_PRECONDITION', 'User location is not supported.', 'bad_request'],
    [
      400,
      'INVALID_ARGUMENT',
      'The input token count (2000) exceeds the maximum number of tokens allowed (1000).',
      'context_overflow',
    ],
    [429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.', 'rate_limited'],
    [500, 'INTERNAL', 'An internal error has occurred.', 'unavailable'],
    [503, 'UNAVAILABLE', 'The model is overloaded.', 'overloaded'],
    [504, 'DEADLINE_EXCEEDED', 'Too late.', 'timeout'],
  ] as const) {
    const error = decode(code, { code, message, status });
    assert.equal(error.kind, kind, message);
    assert.equal(error.message, `Gemini: ${message}`);
    assert.equal(error.status, code);
    assert.match(error.body ?? '', /"error"/);
  }
});

test('reads how long to wait from the details, else from the headers', () => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' },
  ];
  const error = { code: 429, message: 'Slow.', status: 'RESOURCE_EXHAUSTED' };
  assert.equal(decode(429, { ...error, details }, { 'retry-after': '1' }).retryAfter, 34075);
  assert.equal(decode(429, error, { 'Retry-After': '2' }).retryAfter, 2000);
  const dated = {
    date: 'Wed, 21 Oct 2026 07:28:00 GMT',
    'retry-after': 'Wed, 21 Oct 2026 07:28:09 GMT',
  };
  assert.equal(decode(429, error, dated).retryAfter, 9000);
  assert.equal(decode(429, error, { 'retry-after': 'soon' }).retryAfter, undefined);
});

test('makes do with a status alone, and keeps the body off the message', () => {
  for (const [status, kind] of [
    [401, 'auth'],
    [404, 'not_found'],
    [413, 'context_overflow'],
    [429, 'rate_limited'],
    [502, 'unavailable'],
    [503, 'overloaded'],
    [504, 'timeout'],
  ] as const) {
    const error = decode(status, undefined);
    assert.equal(error.kind, kind);
    assert.equal(error.message, `Gemini answered with status ${status}.`);
    assert.equal(error.body, '<html>Bad</html>');
  }
});

test('goes by the status of the answer where the body names none', () => {
  for (const [status, kind] of [
    [400, 'bad_request'],
    [404, 'not_found'],
    [429, 'rate_limited'],
  ] as const) {
    for (const error of [{ message: 'No.' }, { message: 'No.', code: 'word' }, 'No.']) {
      const body = JSON.stringify({ error });
      assert.equal(gemini.decodeError({ status, headers: {}, body }).kind, kind, body);
    }
  }
});

test('keeps no more of a body than fits', () => {
  const error = gemini.decodeError({ status: 500, headers: {}, body: 'x'.repeat(100_000) });
  assert.equal(error.body?.length, 65_536);
});
