import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { calls } from '@forge/core/testing';
import { z } from 'zod';
import { aborts } from './aborts.ts';
import { anthropicAt, anthropicTools, anthropicVoice } from './anthropic.ts';
import { guardsCalls } from './guards-calls.ts';
import { raisesErrors } from './raises-errors.ts';
import { startGuarded } from './start-guarded.ts';
import { question } from './voice.ts';

const body = {
  model: 'm',
  max_tokens: 999,
  messages: [{ role: 'user' as const, content: question }],
};

guardsCalls(anthropicVoice);
aborts(anthropicVoice);
raisesErrors(anthropicVoice, {
  statusOf: (error) => error instanceof Anthropic.APIError && error.status,
  retryAfterOf: (error) => error instanceof Anthropic.APIError && error.headers?.get('retry-after'),
});

describe('@anthropic-ai/sdk', () => {
  it('has its own error classes and types', async (t) => {
    const status = (code: number) => ({ fault: { type: 'status' as const, status: code } });
    const script = [status(400), status(401), status(404), status(429)];
    const { url } = await startGuarded(t, { wire: 'openai-chat', script });
    const { messages } = anthropicAt(url);
    for (const [kind, type] of [
      [Anthropic.BadRequestError, 'invalid_request_error'],
      [Anthropic.AuthenticationError, 'authentication_error'],
      [Anthropic.NotFoundError, 'not_found_error'],
      [Anthropic.RateLimitError, 'rate_limit_error'],
    ] as const) {
      await assert.rejects(messages.create(body), (error) => {
        assert.ok(error instanceof kind, `${error} is no ${kind.name}`);
        assert.equal(error.type, type);
        return true;
      });
    }
  });

  it('tries again after the wait it was told', async (t) => {
    const busy = { fault: { type: 'status' as const, status: 529, retryAfter: '0' } };
    const { url } = await startGuarded(t, { wire: 'anthropic-messages', script: [busy, 'Now.'] });
    const { messages } = anthropicAt(url, { maxRetries: 1 });
    const { content } = await messages.create({ ...body, tools: anthropicTools });
    assert.partialDeepStrictEqual(content, [{ type: 'text', text: 'Now.' }]);
  });

  for (const wire of ['openai-chat', 'ollama', 'gemini'] as const) {
    it(`counts tokens (backend ${wire})`, async (t) => {
      const { url, backend } = await startGuarded(t, { wire, script: [] });
      const { model, messages } = body;
      const short = await anthropicAt(url).messages.countTokens({ model, messages });
      const long = await anthropicAt(url).messages.countTokens({
        model,
        messages,
        tools: anthropicTools,
        system: 'Be brief. '.repeat(100),
      });
      assert.ok(short.input_tokens > 5);
      assert.ok(long.input_tokens > short.input_tokens + 100);
      assert.equal(backend.requests.length, 0);
    });
  }

  for (const wire of ['anthropic-messages', 'openai-chat'] as const) {
    it(`accumulates text, then the arguments, block by block (backend ${wire})`, async (t) => {
      const script = [
        'I will look.\n<tool_call>{"name":"get_weather","arguments":{"city":"Oslo","days":3}}</tool_call>',
      ];
      const { url } = await startGuarded(t, { wire, script });
      const seen: string[] = [];
      let json = '';
      const message = await anthropicAt(url)
        .messages.stream({ ...body, tools: anthropicTools })
        .on('streamEvent', ({ type }) => {
          if (seen.at(-1) !== type) seen.push(type);
        })
        .on('inputJson', (piece) => {
          json += piece;
        })
        .finalMessage();
      assert.deepEqual(seen, [
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]);
      assert.deepEqual(JSON.parse(json), { city: 'Oslo', days: 3 });
      assert.deepEqual(
        message.content.map(({ type }) => type),
        ['text', 'tool_use'],
      );
    });

    it(`parses structured output after a wrong one (backend ${wire})`, async (t) => {
      const script = ['{"town":"Oslo"}', '{"city":"Oslo","days":3}'];
      const { url, backend } = await startGuarded(t, { wire, script });
      const Forecast = z.object({ city: z.string(), days: z.number() });
      const { parsed_output } = await anthropicAt(url).messages.parse({
        ...body,
        output_config: { format: zodOutputFormat(Forecast) },
      });
      assert.deepEqual(parsed_output, { city: 'Oslo', days: 3 });
      assert.equal(backend.requests.length, 2);
    });
  }

  it('hears one call where it wants one at a time', async (t) => {
    const both = calls(
      ['get_weather', { city: 'Oslo', days: 3 }, 'a'],
      ['get_weather', { city: 'Rome', days: 3 }, 'b'],
    );
    const script = [both, both, both, both];
    const { url } = await startGuarded(t, { wire: 'openai-chat', script });
    const { content } = await anthropicAt(url).messages.create({
      ...body,
      tools: anthropicTools,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
    assert.equal(content.filter(({ type }) => type === 'tool_use').length, 1);
  });

  it("gets a use of the provider's own tool as it came", async (t) => {
    const value = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const wire = 'anthropic-messages';
    const script = [
      { content: [{ type: 'opaque' as const, wire, value }], finish: 'stop' as const },
    ];
    const { url, backend } = await startGuarded(t, { wire, script });
    const { content } = await anthropicAt(url).messages.create({
      ...body,
      tools: [...anthropicTools, { type: 'web_search_20250305', name: 'web_search' }],
    });
    assert.partialDeepStrictEqual(content, [value]);
    assert.equal(backend.requests.length, 1);
  });
});
