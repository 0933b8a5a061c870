import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { aborts } from './aborts.ts';
import { guardsCalls } from './guards-calls.ts';
import { openaiAt } from './openai-chat.ts';
import { openaiResponsesVoice, weatherTools } from './openai-responses.ts';
import { raisesErrors } from './raises-errors.ts';
import { startGuarded } from './start-guarded.ts';
import { question } from './voice.ts';

guardsCalls(openaiResponsesVoice);
aborts(openaiResponsesVoice);
raisesErrors(openaiResponsesVoice, {
  statusOf: (error) => error instanceof OpenAI.APIError && error.status,
  retryAfterOf: (error) => error instanceof OpenAI.APIError && error.headers?.get('retry-after'),
});

describe('openai (responses)', () => {
  for (const wire of ['openai-responses', 'openai-chat'] as const) {
    it(`parses structured output after a wrong one (backend ${wire})`, async (t) => {
      const script = ['{"town":"Oslo"}', '{"city":"Oslo","days":3}'];
      const { url, backend } = await startGuarded(t, { wire, script });
      const { output_parsed } = await openaiAt(url).responses.parse({
        model: 'm',
        input: question,
        text: {
          format: zodTextFormat(z.object({ city: z.string(), days: z.number() }), 'forecast'),
        },
      });
      assert.deepEqual(output_parsed, { city: 'Oslo', days: 3 });
      assert.equal(backend.requests.length, 2);
    });

    it(`sees the events of a stream in order (backend ${wire})`, async (t) => {
      const script = [
        calls(['forecast', {}, 'bad_1']),
        calls(['get_weather', { city: 'Oslo', days: 3 }, 'right_1']),
      ];
      const { url } = await startGuarded(t, { wire, script });
      const types: string[] = [];
      const stream = await openaiAt(url).responses.create({
        model: 'm',
        input: question,
        stream: true,
        tools: weatherTools,
      });
      for await (const { type } of stream) if (types.at(-1) !== type) types.push(type);
      assert.deepEqual(
        types.filter((type) => type !== 'response.in_progress'),
        [
          'response.created',
          'response.output_item.added',
          'response.function_call_arguments.delta',
          'response.function_call_arguments.done',
          'response.output_item.done',
          'response.completed',
        ],
      );
    });
  }

  for (const stream of [false, true]) {
    it(`gets the call of a free-form tool as it came (${stream ? 'stream' : 'whole'})`, async (t) => {
      const value = {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'call_1',
        name: 'apply_patch',
        input: '*** Begin Patch',
        status: 'completed',
      };
      const wire = 'openai-responses';
      const script = [
        { content: [{ type: 'opaque' as const, wire, value }], finish: 'tool_calls' as const },
      ];
      const { url, backend } = await startGuarded(t, { wire, script });
      const body = {
        model: 'm',
        input: question,
        tools: [...weatherTools, { type: 'custom' as const, name: 'apply_patch' }],
      };
      const { responses } = openaiAt(url);
      const { output } = stream
        ? await responses.stream(body).finalResponse()
        : await responses.create(body);
      assert.partialDeepStrictEqual(output, [{ type: 'custom_tool_call', input: value.input }]);
      assert.equal(backend.requests.length, 1);
    });
  }
});
