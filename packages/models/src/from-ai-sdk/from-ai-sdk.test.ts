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
