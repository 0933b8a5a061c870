import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../model-error.ts';
import type { WireErrorKind } from '../wire-error.ts';
import { createOpenaiResponses } from './index.ts';

const wire = createOpenaiResponses({ newId: () => 'x', now: () => 0 });

const ends: readonly [string, object, string, object][] = [
  ['completed', {}, 'stop', {}],
  ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length', {}],
  ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'content_filter', {}],
  [
    'incomplete',
    { incomplete_details: { reason: 'steered' } },
    'other',
    { incomplete_details: { reason: 'steered' } },
  ],
  [
    'incomplete',
    { incomplete_details: { reason: 'constructor' } },
    'other',
    { incomplete_details: { reason: 'constructor' } },
  ],
  ['incomplete', {}, 'other', {}],
  ['cancelled', {}, 'other', { status: 'cancelled' }],
  ['queued', {}, 'other', { status: 'queued' }],
];
for (const [status, fields, finish, extra] of ends) {
  test(`${status} ${JSON.stringify(fields)} finishes as ${finish} and comes back`, () => {
    const reply = wire.decodeReply({ id: 'resp_1', created_at: 1, status, output: [], ...fields });
    assert.equal(reply.finish, finish);
    assert.deepEqual(reply.extra, { created_at: 1, ...extra });
    const body = wire.encodeReply(reply);
    assert.equal(body.status, status);
    assert.deepEqual(wire.decodeReply(body), reply);
  });
}

const failures: readonly [string | null, WireErrorKind][] = [
  ['server_error', 'unavailable'],
  ['rate_limit_exceeded', 'rate_limited'],
  ['context_length_exceeded', 'context_overflow'],
  ['slow_down', 'overloaded'],
  ['invalid_prompt', 'bad_request'],
  ['image_too_small', 'bad_request'],
  ['bio_policy', 'content_filter'],
  ['vector_store_timeout', 'timeout'],
  [null, 'unavailable'],
];
for (const [code, kind] of failures) {
  test(`a failed response with code ${code} is an error of kind ${kind}`, () => {
    const body = { status: 'failed', error: { code, message: 'Sorry.' }, output: [] };
    assert.throws(
      () => wire.decodeReply(body),
      (error) => error instanceof ModelError && error.kind === kind && /Sorry/.test(error.message),
    );
  });
}

test('counts that usage has no word for ride along', () => {
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 10,
  };
  const reply = wire.decodeReply({ output: [], usage });
  assert.deepEqual(wire.encodeReply(reply).usage, usage);
});

test('the text a server derives from the output is not kept', () => {
  const reply = wire.decodeReply({ output: [], output_text: 'stale' });
  assert.equal('output_text' in wire.encodeReply(reply), false);
});

test('every item gets an id, and no two the same', () => {
  let next = 0;
  const numbered = createOpenaiResponses({ newId: () => String(next++), now: () => 0 });
  const web = {
    type: 'opaque' as const,
    wire: numbered.name,
    value: { type: 'web_search_call', id: 'ws' },
  };
  const { output } = numbered.encodeReply({
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      web,
      web,
      { type: 'tool_call', id: 'c', name: 'f', args: {} },
      { type: 'tool_call', id: 'c', name: 'f', args: {} },
    ],
    finish: 'tool_calls',
    extra: {},
  });
  assert.ok(Array.isArray(output));
  const ids = output.map((item) => item.id);
  assert.equal(new Set(ids).size, 6);
  assert.notEqual(output[4].call_id, output[5].call_id);
});

test('arguments for a call that is not open end the stream with an error', () => {
  const encoder = wire.createStreamEncoder();
  encoder.push({ type: 'start', extra: {} });
  const frames = encoder.push({ type: 'args', index: 3, text: '{}' });
  assert.deepEqual(
    frames.map((frame) => frame.event),
    ['error', 'response.failed'],
  );
  assert.deepEqual(encoder.push({ type: 'text', text: 'more' }), []);
});
