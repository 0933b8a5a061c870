import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireErrorKind } from '../wire-error.ts';
import { decodeError } from './decode-error.ts';
import { encodeError } from './encode-error.ts';

const kindOf = (status: number, type: string, message = 'no'): WireErrorKind => {
  const body = JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
  return decodeError({ status, headers: {}, body }).kind;
};

test('errors are known by their type', () => {
  assert.equal(kindOf(401, 'authentication_error'), 'auth');
  assert.equal(kindOf(403, 'permission_error'), 'auth');
  assert.equal(kindOf(402, 'billing_error'), 'bad_request');
  assert.equal(kindOf(404, 'not_found_error'), 'not_found');
  assert.equal(kindOf(413, 'request_too_large'), 'context_overflow');
  assert.equal(kindOf(429, 'rate_limit_error'), 'rate_limited');
  assert.equal(kindOf(500, 'api_error'), 'unavailable');
  assert.equal(kindOf(504, 'timeout_error'), 'timeout');
  assert.equal(kindOf(529, 'overloaded_error'), 'overloaded');
  assert.equal(kindOf(400, 'invalid_request_error'), 'bad_request');
});

test('an overflow and a filter are known by their words', () => {
  for (const words of [
    'prompt is too long: 207791 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input',
    'the request exceeds the available context size',
  ]) {
    assert.equal(kindOf(400, 'invalid_request_error', words), 'context_overflow');
  }
  const filtered = 'Output blocked by content filtering policy';
  assert.equal(kindOf(400, 'invalid_request_error', filtered), 'content_filter');
});

test('a failure that is the fault of the request is not tried again', () => {
  const words = 'image input is not supported - hint: you may need to provide the mmproj';
  assert.equal(kindOf(500, 'server_error', words), 'bad_request');
});

test('without a type the status decides', () => {
  const kinds = [200, 302, 400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529].map(
    (status) => decodeError({ status, headers: {}, body: '<html>' }).kind,
  );
  assert.deepEqual(kinds, [
    'bad_response',
    'bad_response',
    'bad_request',
    'auth',
    'auth',
    'not_found',
    'timeout',
    'context_overflow',
    'bad_request',
    'rate_limited',
    'unavailable',
    'unavailable',
    'overloaded',
    'timeout',
    'overloaded',
  ]);
});

test('the body stays off the message, on the error, and bounded', () => {
  const body = `<html>${'x'.repeat(100_000)}`;
  const error = decodeError({ status: 502, headers: {}, body });
  assert.equal(error.message, 'The Messages API answered 502 without a message.');
  assert.equal(error.body?.length, 65_536);
  const long = JSON.stringify({ error: { type: 'api_error', message: 'a\n'.repeat(5_000) } });
  assert.equal(decodeError({ status: 500, headers: {}, body: long }).message.length, 501);
});

test('other shapes of errors are read too', () => {
  const said = ['{"error":"bad model"}', '{"detail":"bad model"}', '{"message":"bad model"}'].map(
    (body) => decodeError({ status: 400, headers: {}, body }).message,
  );
  assert.deepEqual(said, ['bad model', 'bad model', 'bad model']);
});

test('how long to wait: seconds, milliseconds, a date', () => {
  const wait = (headers: Record<string, string>) =>
    decodeError({ status: 429, headers, body: '' }, () => Date.UTC(2030, 0, 1)).retryAfter;
  assert.equal(wait({ 'retry-after': '12' }), 12_000);
  assert.equal(wait({ 'Retry-After': '0.5' }), 500);
  assert.equal(wait({ 'retry-after-ms': '250', 'retry-after': '9' }), 250);
  assert.equal(wait({ 'retry-after': 'Tue, 01 Jan 2030 00:00:05 GMT' }), 5_000);
  assert.equal(wait({ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }), 0);
  const date = 'Tue, 01 Jan 2030 00:01:00 GMT';
  assert.equal(wait({ 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT', date }), 30_000);
  assert.equal(wait({ 'retry-after': 'soon' }), undefined);
  assert.equal(wait({}), undefined);
});

test("an overflow is told in Anthropic's words, whatever the server behind it said", () => {
  for (const message of [
    'request (4031 tokens) exceeds the available context size (2048 tokens)',
    "This model's maximum context length is 4096 tokens.",
    'prompt is too long: 207791 tokens > 200000 maximum',
  ]) {
    const { body } = encodeError({ kind: 'context_overflow', message });
    assert.match(JSON.stringify(body), /"message":"prompt is too long: /);
    assert.equal(
      decodeError({ status: 400, headers: {}, body: JSON.stringify(body) }).kind,
      'context_overflow',
    );
  }
});

test('the status says what kind of refusal it was', () => {
  assert.equal(encodeError({ kind: 'auth', message: 'no', status: 403 }).status, 403);
  assert.equal(encodeError({ kind: 'bad_response', message: 'no' }).status, 502);
});
