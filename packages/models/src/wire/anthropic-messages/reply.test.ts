import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@forge/core';
import { ModelError } from '../model-error.ts';
import type { WireReply } from '../wire.ts';
import { decodeReply } from './decode-reply.ts';
import { encodeReply } from './encode-reply.ts';

const body = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-test-1',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'text', text: 'Hi', citations: null },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 1 }, caller: { type: 'direct' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  container: null,
  usage: {
    input_tokens: 3,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 100,
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 4 },
    service_tier: 'standard',
  },
};

test('a reply in our words', () => {
  assert.deepEqual(decodeReply(body), {
    id: 'msg_1',
    model: 'claude-test-1',
    content: [
      { type: 'reasoning', text: 'hm', signature: 'sig' },
      {
        type: 'opaque',
        wire: 'anthropic-messages',
        value: { type: 'redacted_thinking', data: 'x' },
      },
      text('Hi'),
      {
        type: 'tool_call',
        id: 'toolu_1',
        name: 'look',
        args: { a: 1 },
        provider: { 'anthropic-messages': { caller: { type: 'direct' } } },
      },
    ],
    finish: 'tool_calls',
    usage: {
      inputTokens: 123,
      outputTokens: 7,
      cachedInputTokens: 100,
      cacheWriteTokens: 20,
      reasoningTokens: 4,
    },
    extra: {
      stop_reason: 'tool_use',
      usage: { cache_creation_input_tokens: 20, service_tier: 'standard' },
    },
  });
});

test('and back, but for what was null', () => {
  const { container: _, ...sent } = body;
  const content = body.content.map(({ citations: __, ...block }) => block);
  assert.deepEqual(encodeReply(decodeReply(body)), { ...sent, content });
});

test('stop reasons', () => {
  const cases = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    tool_use: 'tool_calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    refusal: 'content_filter',
    pause_turn: 'other',
    sudden_thought: 'other',
    toString: 'other',
  };
  for (const [stop_reason, finish] of Object.entries(cases)) {
    const reply = decodeReply({ ...body, content: [], stop_reason });
    assert.equal(reply.finish, finish);
    assert.equal(encodeReply(reply).stop_reason, stop_reason);
  }
});

test('the finish wins over the word that came with it', () => {
  const reply: WireReply = {
    content: [text('x')],
    finish: 'stop',
    extra: { stop_reason: 'tool_use' },
  };
  assert.equal(encodeReply(reply).stop_reason, 'end_turn');
  assert.equal(encodeReply({ ...reply, finish: 'length' }).stop_reason, 'max_tokens');
});

test('a reply with calls that merely stopped asks for its tools', () => {
  const content = [{ type: 'tool_call' as const, id: 'a', name: 't', args: '{"x":1}' }];
  const sent = encodeReply({ content, finish: 'stop', extra: {} });
  assert.equal(sent.stop_reason, 'tool_use');
  assert.deepEqual(sent.content, [{ type: 'tool_use', id: 'a', name: 't', input: { x: 1 } }]);
});

test('a reply that came from elsewhere has all that clients look for', () => {
  const content: WireReply['content'] = [
    { type: 'reasoning', text: 'hm' },
    { type: 'opaque', wire: 'gemini', value: {} },
  ];
  assert.deepEqual(encodeReply({ content, finish: 'stop', extra: {} }), {
    id: 'msg_unknown',
    type: 'message',
    role: 'assistant',
    model: 'unknown',
    content: [{ type: 'thinking', thinking: 'hm', signature: '' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    },
  });
});

test('an error in the place of a reply is thrown as what it is', () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  for (const sent of [{ type: 'error', error }, { error }]) {
    assert.throws(
      () => decodeReply(sent),
      (thrown) => thrown instanceof ModelError && thrown.kind === 'overloaded',
    );
  }
});

test('what is no reply is refused', () => {
  for (const sent of [{}, [], 'ok', { content: 7 }, { content: [{ type: 'text' }] }]) {
    assert.throws(
      () => decodeReply(sent),
      (thrown) => thrown instanceof ModelError && thrown.kind === 'bad_response',
    );
  }
});
