import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../model-error.ts';
import { gemini } from './index.ts';

const candidate = (parts: object[], fields: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...fields }],
});

test('tells calls from a plain stop', () => {
  assert.equal(gemini.decodeReply(candidate([{ text: 'hi' }])).finish, 'stop');
  const reply = gemini.decodeReply(candidate([{ functionCall: { name: 'get' } }]));
  assert.equal(reply.finish, 'tool_calls');
  assert.deepEqual(reply.content, [
    {
      type: 'tool_call',
      id: 'get_0',
      name: 'get',
      args: {},
      provider: { gemini: { generatedId: true } },
    },
  ]);
});

test('keeps the names of calls of different replies apart', () => {
  const body = candidate([{ functionCall: { name: 'get', args: {} } }]);
  const [one] = gemini.decodeReply({ ...body, responseId: 'r1' }).content;
  const [two] = gemini.decodeReply({ ...body, responseId: 'r2' }).content;
  assert.equal(one?.type === 'tool_call' && one.id, 'get_0_r1');
  assert.equal(two?.type === 'tool_call' && two.id, 'get_0_r2');
});

test('tells why it stopped', () => {
  for (const [finishReason, finish] of [
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'other'],
    ['SOMETHING_NEW', 'other'],
  ] as const) {
    const reply = gemini.decodeReply(candidate([], { finishReason }));
    assert.equal(reply.finish, finish);
    const [first] = JSON.parse(JSON.stringify(gemini.encodeReply(reply))).candidates;
    assert.equal(first.finishReason, finishReason);
  }
});

test('takes a refused prompt for a filtered reply', () => {
  const body = {
    promptFeedback: { blockReason: 'SAFETY' },
    usageMetadata: { promptTokenCount: 3 },
  };
  const reply = gemini.decodeReply(body);
  assert.equal(reply.finish, 'content_filter');
  assert.deepEqual(reply.content, []);
  assert.deepEqual(gemini.encodeReply(reply).promptFeedback, body.promptFeedback);
  assert.equal(gemini.encodeReply(reply).candidates, undefined);
});

test('counts what its own tools read as input and its thoughts as output', () => {
  const { usage } = gemini.decodeReply({
    ...candidate([]),
    usageMetadata: {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 30,
      totalTokenCount: 157,
    },
  });
  assert.deepEqual(usage, {
    inputTokens: 120,
    outputTokens: 37,
    cachedInputTokens: 60,
    reasoningTokens: 30,
  });
});

test('keeps the other candidates and fields it has no word for', () => {
  const other = { content: { parts: [{ text: 'B' }] }, index: 1 };
  const [first] = candidate([{ text: 'A' }], { avgLogprobs: -0.5 }).candidates;
  const body = { candidates: [first, other], modelStatus: { stage: 'PREVIEW' } };
  const reply = gemini.decodeReply(body);
  assert.deepEqual(reply.content, [{ type: 'text', text: 'A' }]);
  assert.deepEqual(gemini.encodeReply(reply), body);
});

test('keeps a picture the model made', () => {
  const part = { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: 'c2ln' };
  assert.deepEqual(gemini.decodeReply(candidate([part])).content, [
    { type: 'opaque', wire: 'gemini', value: part },
  ]);
});

test('throws an error that comes in the place of a reply', () => {
  const error = { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' };
  for (const body of [{ error }, [{ error }]]) {
    assert.throws(
      () => gemini.decodeReply(body),
      (thrown) => thrown instanceof ModelError && thrown.kind === 'overloaded',
    );
  }
});

test('refuses what is no reply', () => {
  for (const body of [null, 'hi', {}, { usageMetadata: {} }]) {
    assert.throws(
      () => gemini.decodeReply(body),
      (thrown) => thrown instanceof ModelError && thrown.kind === 'bad_response',
    );
  }
});
