import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { defineAgent, defineTool, run } from '@forge/core';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { fromAiSdk } from './from-ai-sdk.ts';

const usage = {
  inputTokens: { total: 12, noCache: 4, cacheRead: 8, cacheWrite: 0 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const finishReason = { unified: 'stop' as const, raw: 'stop' };
const reply = (...content: LanguageModelV4Content[]) => ({
  content,
  finishReason,
  usage,
  warnings: [],
});

const forecast = defineTool({
  name: 'get_forecast',
  description: 'Forecast',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `${city}: rain`,
});
const agent = defineAgent({ name: 'weather', instructions: 'Be brief.', tools: [forecast] });

describe('fromAiSdk', () => {
  it('runs an agent, with reasoning and its signature sent back on the part it came on', async () => {
    const signed = { anthropic: { signature: 'sig' } };
    const mock = new MockLanguageModelV4({
      doGenerate: [
        reply(
          { type: 'reasoning', text: 'hm', providerMetadata: signed },
          {
            type: 'tool-call',
            toolCallId: 'c1',
            toolName: 'get_forecast',
            input: '{"city":"Oslo"}',
          },
        ),
        reply({ type: 'text', text: 'Rain.' }),
      ],
    });
    const result = await run(agent, 'Weather?', { model: fromAiSdk(mock) });
    assert.equal(result.output?.text, 'Rain.');
    assert.equal(result.usage.cachedInputTokens, 16);
    const [system, user, assistant, tool] = mock.doGenerateCalls[1]?.prompt ?? [];
    assert.equal(system?.role, 'system');
    assert.equal(user?.role, 'user');
    assert.deepEqual(assistant?.content, [
      { type: 'reasoning', text: 'hm', providerOptions: signed },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'get_forecast', input: { city: 'Oslo' } },
    ]);
    assert.deepEqual(tool?.content, [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'get_forecast',
        output: { type: 'text', value: 'Oslo: rain' },
      },
    ]);
  });

  it('streams where someone listens', async () => {
    const chunks: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'It ' },
      { type: 'text-delta', id: 't', delta: 'rains.' },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason, usage },
    ];
    const mock = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
    });
    const heard: string[] = [];
    const result = await run(agent, 'Weather?', {
      model: fromAiSdk(mock),
      onDelta: ({ text }) => heard.push(text),
    });
    assert.deepEqual(heard, ['It ', 'rains.']);
    assert.equal(result.output?.text, 'It rains.');
  });

  it('keeps what a provider says of a part anywhere in a stream, and sends it back', async () => {
    // Anthropic signs with a last piece, hides thoughts in the first, and marks text at its end.
    const signature = { anthropic: { signature: 'sig' } };
    const redacted = { anthropic: { redactedData: 'x' } };
    const item = { openai: { itemId: 'm1' } };
    const first: LanguageModelV4StreamPart[] = [
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signature },
      { type: 'reasoning-end', id: '0' },
      { type: 'reasoning-start', id: '1', providerMetadata: redacted },
      { type: 'reasoning-end', id: '1' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', delta: 'I look.' },
      { type: 'text-end', id: '2', providerMetadata: item },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'get_forecast', input: '{"city":"Oslo"}' },
      { type: 'finish', finishReason, usage },
    ];
    const last: LanguageModelV4StreamPart[] = [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Rain.' },
      { type: 'finish', finishReason, usage },
    ];
    const mock = new MockLanguageModelV4({
      doStream: [first, last].map((chunks) => ({ stream: simulateReadableStream({ chunks }) })),
    });
    const result = await run(agent, 'Weather?', { model: fromAiSdk(mock), onDelta: () => {} });
    assert.equal(result.output?.text, 'Rain.');
    const [, , assistant] = mock.doStreamCalls[1]?.prompt ?? [];
    assert.deepEqual(assistant?.content, [
      { type: 'reasoning', text: 'hm', providerOptions: signature },
      { type: 'reasoning', text: '', providerOptions: redacted },
      { type: 'text', text: 'I look.', providerOptions: item },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'get_forecast', input: { city: 'Oslo' } },
    ]);
  });

  it('says what went wrong where a provider tells it as a plain object', async () => {
    const chunks: LanguageModelV4StreamPart[] = [
      { type: 'error', error: { type: 'server_error', message: 'overloaded' } },
    ];
    const mock = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
    });
    const { signal } = new AbortController();
    const request = { messages: [], tools: [], toolChoice: 'auto' as const };
    await assert.rejects(
      async () => fromAiSdk(mock).complete(request, { signal, onDelta: () => {} }),
      /overloaded/,
    );
  });

  it('fails when a stream stops in the middle or says so', async () => {
    for (const last of [[], [{ type: 'error' as const, error: new Error('overloaded') }]]) {
      const chunks: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }, ...last];
      const mock = new MockLanguageModelV4({
        doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
      });
      const result = await run(agent, 'Weather?', { model: fromAiSdk(mock), onDelta: () => {} });
      assert.equal(result.reason, 'model_failed');
    }
  });
});
