import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userMessage } from '@forge/core';
import {
  decodeCountTokensRequest,
  decodeTokenCount,
  encodeCountTokensRequest,
  encodeTokenCount,
} from './count-tokens.ts';

test('a request to count is a message request without what shapes the answer', () => {
  const request = decodeCountTokensRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 't', input_schema: { type: 'object' } }],
  });
  assert.deepEqual(request.messages, [userMessage('hi')]);
  const settings = { maxTokens: 5, temperature: 1, stop: ['x'] };
  assert.deepEqual(encodeCountTokensRequest({ ...request, settings, stream: true }), {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    tools: [{ name: 't', input_schema: { type: 'object' } }],
  });
});

test('the count goes there and back', () => {
  assert.equal(decodeTokenCount(encodeTokenCount(42)), 42);
});
