import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { APICallError, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai';
import { z } from 'zod';
import { aborts } from './aborts.ts';
import { aiSdkModels, aiSdkVoice } from './ai-sdk.ts';
import { guardsCalls } from './guards-calls.ts';
import { raisesErrors } from './raises-errors.ts';
import { startGuarded } from './start-guarded.ts';
import { question, weather } from './voice.ts';

for (const provider of [
  'openai chat',
  'openai responses',
  'openai-compatible',
  'anthropic',
] as const) {
  const voice = aiSdkVoice(provider);
  guardsCalls(voice);
  aborts(voice);
  raisesErrors(voice, {
    statusOf: (error) => APICallError.isInstance(error) && error.statusCode,
    retryAfterOf: (error) =>
      APICallError.isInstance(error) && error.responseHeaders?.['retry-after'],
  });

  describe(voice.name, () => {
    const text =
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo","days":3}}</tool_call>';

    it('runs its own tool loop to the end, whole and streamed', async (t) => {
      const script = [text, 'It will rain.', text, 'It will rain.'];
      const { url } = await startGuarded(t, { wire: 'openai-chat', script });
      const seen: unknown[] = [];
      const settings = {
        model: aiSdkModels[provider](url),
        prompt: question,
        maxOutputTokens: 999,
        stopWhen: isStepCount(3),
        tools: {
          get_weather: tool({
            description: weather.description,
            inputSchema: jsonSchema<{ city: string; days: number }>({
              ...weather.parameters,
              required: [...weather.parameters.required],
            }),
            execute: async (args) => {
              seen.push(args);
              return 'Rain.';
            },
          }),
        },
      };
      assert.equal((await generateText(settings)).text, 'It will rain.');
      assert.equal(await streamText(settings).text, 'It will rain.');
      assert.deepEqual(seen, [
        { city: 'Oslo', days: 3 },
        { city: 'Oslo', days: 3 },
      ]);
    });

    it('gets the structure it asks for after a wrong one', async (t) => {
      // For a model it does not know, the provider of Anthropic asks for the call of a tool.
      const right =
        provider === 'anthropic' ? calls(['json', { city: 'Oslo' }]) : '{"city":"Oslo"}';
      const script = ['{"town":"Oslo"}', right];
      const { url, backend } = await startGuarded(t, { wire: 'openai-chat', script });
      const { output } = await generateText({
        model: aiSdkModels[provider](url),
        prompt: question,
        maxOutputTokens: 999,
        output: Output.object({ schema: z.object({ city: z.string() }) }),
      });
      assert.deepEqual(output, { city: 'Oslo' });
      assert.equal(backend.requests.length, 2);
    });
  });
}
