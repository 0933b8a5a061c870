import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { aborts } from './aborts.ts';
import { guardsCalls } from './guards-calls.ts';
import { chatFunction, chatTools, openaiAt, openaiChatVoice } from './openai-chat.ts';
import { raisesErrors } from './raises-errors.ts';
import { startGuarded } from './start-guarded.ts';
import { question } from './voice.ts';

const messages = [{ role: 'user' as const, content: question }];
const badCall = calls(['forecast', {}, 'bad_1']);

guardsCalls(openaiChatVoice);
aborts(openaiChatVoice);
raisesErrors(openaiChatVoice, {
  statusOf: (error) => error instanceof OpenAI.APIError && error.status,
  retryAfterOf: (error) => error instanceof OpenAI.APIError && error.headers?.get('retry-after'),
});

describe('openai (chat)', () => {
  it('has its own error classes and codes', async (t) => {
    const status = (code: number) => ({ fault: { type: 'status' as const, status: code } });
    const script = [status(400), status(401), status(404), status(429), status(500)];
    const { url } = await startGuarded(t, { wire: 'anthropic-messages', script });
    const { completions } = openaiAt(url).chat;
    for (const kind of [
      OpenAI.BadRequestError,
      OpenAI.AuthenticationError,
      OpenAI.NotFoundError,
      OpenAI.RateLimitError,
      OpenAI.InternalServerError,
    ]) {
      await assert.rejects(completions.create({ model: 'm', messages }), (error) => {
        assert.ok(error instanceof kind, `${error} is no ${kind.name}`);
        assert.match(String(error.message), /The script answers with status/);
        return true;
      });
    }
  });

  it('tries again after the wait it was told', async (t) => {
    const busy = { fault: { type: 'status' as const, status: 429, retryAfter: '0' } };
    const { url } = await startGuarded(t, { wire: 'openai-chat', script: [busy, 'Now.'] });
    const { completions } = openaiAt(url, { maxRetries: 1 }).chat;
    const { choices } = await completions.create({ model: 'm', messages, tools: chatTools });
    assert.equal(choices[0]?.message.content, 'Now.');
  });

  it('reads what was done off the headers', async (t) => {
    const script = [badCall, calls(['get_weather', { city: 'Oslo', days: 3 }])];
    const { url } = await startGuarded(t, { wire: 'openai-chat', script });
    const { response } = await openaiAt(url)
      .chat.completions.create({ model: 'm', messages, tools: chatTools })
      .withResponse();
    assert.equal(response.headers.get('x-forge-outcome'), 'retried');
    assert.equal(response.headers.get('x-forge-attempts'), '2');
  });

  it('gets the best reply and a marker when the retries run out', async (t) => {
    const script = [badCall, badCall, badCall, badCall];
    const { url, backend } = await startGuarded(t, { wire: 'openai-chat', script });
    const { data, response } = await openaiAt(url)
      .chat.completions.create({ model: 'm', messages, tools: chatTools })
      .withResponse();
    assert.equal(backend.requests.length, 4);
    assert.equal(response.headers.get('x-forge-outcome'), 'exhausted');
    assert.equal(response.headers.get('x-forge-attempts'), '4');
    assert.equal(data.choices.length, 1);
  });

  it('hears no call where it asked for none, and one where it asked for one', async (t) => {
    const script = [
      'Just words.',
      'Words again.',
      calls(['get_weather', { city: 'Oslo', days: 3 }]),
    ];
    const { url, backend } = await startGuarded(t, { wire: 'openai-chat', script });
    const { completions } = openaiAt(url).chat;
    const body = { model: 'm', messages, tools: chatTools };
    const none = await completions.create({ ...body, tool_choice: 'none' });
    assert.equal(none.choices[0]?.message.content, 'Just words.');
    assert.equal(backend.requests.length, 1);
    const some = await completions.create({ ...body, tool_choice: 'required' });
    assert.equal(some.choices[0]?.finish_reason, 'tool_calls');
    assert.equal(backend.requests.length, 3);
  });

  it('hears one call where it wants one at a time', async (t) => {
    const both = calls(
      ['get_weather', { city: 'Oslo', days: 3 }, 'a'],
      ['get_weather', { city: 'Rome', days: 3 }, 'b'],
    );
    const { url } = await startGuarded(t, {
      wire: 'openai-chat',
      script: [both, both, both, both],
    });
    const { choices } = await openaiAt(url).chat.completions.create({
      model: 'm',
      messages,
      tools: chatTools,
      parallel_tool_calls: false,
    });
    assert.equal(choices[0]?.message.tool_calls?.length, 1);
  });

  const Forecast = z.object({ city: z.string(), days: z.number().int() });
  const wrongs = {
    'prose around it': ['Here it is:\n```json\n{"city":"Oslo","days":3}\n```', 1],
    'a wrong field': ['{"town":"Oslo","days":3}', 2],
    'no JSON at all': ['It will rain in Oslo for three days.', 2],
  } as const;
  for (const wire of ['openai-chat', 'anthropic-messages', 'gemini', 'ollama'] as const) {
    for (const [name, [wrong, generations]] of Object.entries(wrongs)) {
      it(`parses structured output after ${name} (backend ${wire})`, async (t) => {
        const script = [wrong, '{"city":"Oslo","days":3}'];
        const { url, backend } = await startGuarded(t, { wire, script });
        const { choices } = await openaiAt(url).chat.completions.parse({
          model: 'm',
          messages,
          response_format: zodResponseFormat(Forecast, 'forecast'),
        });
        assert.deepEqual(choices[0]?.message.parsed, { city: 'Oslo', days: 3 });
        assert.equal(backend.requests.length, generations);
      });
    }
  }

  it('parses structured output of a stream', async (t) => {
    const script = ['{"town":"Oslo"}', '{"city":"Oslo","days":3}'];
    const { url } = await startGuarded(t, { wire: 'openai-chat', script });
    const stream = openaiAt(url).chat.completions.stream({
      model: 'm',
      messages,
      response_format: zodResponseFormat(Forecast, 'forecast'),
    });
    const [choice] = (await stream.finalChatCompletion()).choices;
    assert.deepEqual(choice?.message.parsed, { city: 'Oslo', days: 3 });
  });

  it('runs its own tool loop to the end', async (t) => {
    const script = [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo","days":3}}</tool_call>',
      'It will rain.',
    ];
    const { url } = await startGuarded(t, { wire: 'openai-chat', script });
    const seen: unknown[] = [];
    const runner = openaiAt(url).chat.completions.runTools({
      model: 'm',
      messages,
      tools: [
        {
          type: 'function',
          function: {
            ...chatFunction,
            parse: (text: string) => Forecast.parse(JSON.parse(text)),
            function: (args: z.infer<typeof Forecast>) => {
              seen.push(args);
              return 'Rain.';
            },
          },
        },
      ],
    });
    assert.equal(await runner.finalContent(), 'It will rain.');
    assert.deepEqual(seen, [{ city: 'Oslo', days: 3 }]);
  });

  it('lists the models of the backend', async (t) => {
    const { url } = await startGuarded(t, { wire: 'openai-chat', script: [] });
    const { data } = await openaiAt(url).models.list();
    assert.deepEqual(
      data.map(({ id }) => id),
      ['scripted'],
    );
  });
});
