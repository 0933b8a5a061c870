import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertSameHoweverCut, hear } from '../shared/loopback.test.ts';
import { twoTowns } from '../shared/two-towns.test.ts';
import type { StreamEvent } from '../wire.ts';
import { openaiChat } from './openai-chat.ts';

const streams: Record<string, StreamEvent[]> = {
  'openai-text': [
    {
      type: 'start',
      id: 'chatcmpl-A1',
      model: 'gpt-5-mini',
      extra: { created: 1730000000, service_tier: 'default', system_fingerprint: 'fp_1' },
    },
    { type: 'text', text: 'Grüße' },
    { type: 'text', text: ' 👋🏽' },
    {
      type: 'finish',
      finish: 'stop',
      usage: { inputTokens: 120, outputTokens: 14, cachedInputTokens: 100, reasoningTokens: 8 },
      extra: {
        usage: {
          prompt_tokens_details: { audio_tokens: 0 },
          completion_tokens_details: {
            audio_tokens: 0,
            accepted_prediction_tokens: 0,
            rejected_prediction_tokens: 0,
          },
        },
      },
    },
  ],
  'openai-parallel-tools': [
    { type: 'start', id: 'chatcmpl-B1', model: 'gpt-5-mini', extra: { created: 1730000001 } },
    { type: 'call', index: 0, id: 'call_aa', name: 'get_weather' },
    { type: 'args', index: 0, text: '{"city":' },
    { type: 'args', index: 0, text: '"Köln"}' },
    { type: 'call', index: 1, id: 'call_bb', name: 'get_time' },
    { type: 'args', index: 1, text: '{}' },
    { type: 'finish', finish: 'tool_calls', extra: {} },
  ],
  'llamacpp-reasoning-tool': [
    {
      type: 'start',
      id: 'chatcmpl-C1',
      model: 'qwen3-8b',
      extra: { created: 1760000000, system_fingerprint: 'b6500-abc' },
    },
    { type: 'reasoning', text: 'Look it' },
    { type: 'reasoning', text: ' up.' },
    { type: 'call', index: 0, id: 'Kx2', name: 'search' },
    { type: 'args', index: 0, text: '{' },
    { type: 'args', index: 0, text: '"q":"x"}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 90, outputTokens: 20 },
      extra: { created: 1760000001, timings: { cache_n: 80, predicted_per_second: 31.5 } },
    },
  ],
  'llamacpp-b9844-parallel-calls': [
    {
      type: 'start',
      id: 'chatcmpl-J7cauQuVGdPAxvGqAX1W2go50NVjRpt7',
      model: 'tinyllama.gguf',
      extra: { created: 1794720040, system_fingerprint: 'b9844-6c5de1cc8' },
    },
    ...twoTowns('WGT6HfeUIB0P2lJWjajhlQWJW1IOT3fJ', '0YDaD1jVvesSRvi9oBs1SJli1oTTFBtV'),
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 450, outputTokens: 67, cachedInputTokens: 139 },
      extra: {
        created: 1794720043,
        timings: {
          cache_n: 139,
          prompt_n: 311,
          prompt_ms: 13550.121,
          prompt_per_token_ms: 43.56952090032154,
          prompt_per_second: 22.95182456304265,
          predicted_n: 67,
          predicted_ms: 3002.542,
          predicted_per_token_ms: 44.81405970149254,
          predicted_per_second: 22.314425576727984,
        },
      },
    },
  ],
  'llamacpp-b9844-cut-text': [
    {
      type: 'start',
      id: 'chatcmpl-7DJ5KXDNoEEkNmrZDN0QXfufNTno68gj',
      model: 'tinyllama.gguf',
      extra: { created: 1794719779, system_fingerprint: 'b9844-6c5de1cc8' },
    },
    ...['S', 'ay', ' hello', ' in'].map((text): StreamEvent => ({ type: 'text', text })),
    {
      type: 'finish',
      finish: 'length',
      usage: { inputTokens: 37, outputTokens: 4, cachedInputTokens: 36 },
      extra: {
        timings: {
          cache_n: 36,
          prompt_n: 1,
          prompt_ms: 43.963,
          prompt_per_token_ms: 43.963,
          prompt_per_second: 22.746400382139527,
          predicted_n: 4,
          predicted_ms: 122.464,
          predicted_per_token_ms: 30.616,
          predicted_per_second: 32.66266004703423,
        },
      },
    },
  ],
  'openrouter-reasoning': [
    {
      type: 'start',
      id: 'gen-D1',
      model: 'anthropic/claude-sonnet',
      extra: { provider: 'Anthropic', created: 1761000000 },
    },
    { type: 'reasoning', text: 'Hm' },
    { type: 'reasoning', text: ', yes' },
    { type: 'text', text: 'Yes.' },
    {
      type: 'opaque',
      wire: 'openai-chat',
      value: {
        reasoning_details: [
          {
            type: 'reasoning.text',
            text: 'Hm, yes',
            index: 0,
            format: 'anthropic-claude-v1',
            signature: 'c2ln',
          },
        ],
      },
    },
    {
      type: 'finish',
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 2 },
      cost: 0.00012,
      extra: {
        choice: { native_finish_reason: 'end_turn' },
        usage: { is_byok: false },
      },
    },
  ],
  'deepseek-reasoner': [
    {
      type: 'start',
      id: 'e1',
      model: 'deepseek-reasoner',
      extra: { created: 1762000000, system_fingerprint: 'fp_ds' },
    },
    { type: 'reasoning', text: '想' },
    { type: 'text', text: '好' },
    {
      type: 'finish',
      finish: 'length',
      usage: { inputTokens: 30, outputTokens: 9, cachedInputTokens: 16, reasoningTokens: 4 },
      extra: { usage: { prompt_cache_hit_tokens: 16, prompt_cache_miss_tokens: 14 } },
    },
  ],
  'groq-tool': [
    {
      type: 'start',
      id: 'chatcmpl-F1',
      model: 'llama-3.3-70b',
      extra: { created: 1763000000, system_fingerprint: 'fp_g', x_groq: { id: 'req_1' } },
    },
    { type: 'call', index: 0, id: 'call_f1', name: 'add' },
    { type: 'args', index: 0, text: '{"a":1,"b":2}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 200, outputTokens: 15 },
      extra: {
        x_groq: {
          id: 'req_1',
          usage: {
            queue_time: 0.02,
            prompt_tokens: 200,
            completion_tokens: 15,
            total_tokens: 215,
          },
        },
        usage: { queue_time: 0.02 },
      },
    },
  ],
  'ollama-same-index': [
    {
      type: 'start',
      id: 'chatcmpl-7',
      model: 'qwen2.5:7b',
      extra: { created: 1764000000, system_fingerprint: 'fp_ollama' },
    },
    { type: 'call', index: 0, id: 'call_x1', name: 'write_file' },
    { type: 'args', index: 0, text: '{"path":"a.py"}' },
    { type: 'call', index: 1, id: 'call_x2', name: 'write_file' },
    { type: 'args', index: 1, text: '{"path":"b.py"}' },
    { type: 'finish', finish: 'tool_calls', extra: { created: 1764000001, finish_reason: 'stop' } },
  ],
  'gemini-no-index': [
    { type: 'start', id: 'g1', model: 'gemini-3-flash', extra: { created: 1765000000 } },
    {
      type: 'call',
      index: 0,
      id: 'call_g1_0',
      name: 'read',
      provider: {
        'openai-chat': { extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } },
      },
    },
    { type: 'args', index: 0, text: '{"id":1}' },
    { type: 'call', index: 1, id: 'call_g1_1', name: 'read' },
    { type: 'args', index: 1, text: '{"id":2}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 40, outputTokens: 12 },
      extra: { finish_reason: 'stop' },
    },
  ],
  'legacy-function-call': [
    { type: 'start', id: 'l1', model: 'gpt-3.5-turbo-0613', extra: { created: 1680000000 } },
    { type: 'call', index: 0, id: 'call_l1_0', name: 'lookup' },
    { type: 'args', index: 0, text: '{"k":' },
    { type: 'args', index: 0, text: 'true}' },
    { type: 'finish', finish: 'tool_calls', extra: { finish_reason: 'function_call' } },
  ],
  'openrouter-error': [
    { type: 'start', id: 'gen-E1', model: 'x/y', extra: { provider: 'X', created: 1766000000 } },
    { type: 'text', text: 'Let me' },
    {
      type: 'error',
      error: {
        kind: 'unavailable',
        message: 'The server answered 502: Provider disconnected',
        status: 502,
        body: '{"id":"gen-E1","provider":"X","model":"x/y","object":"chat.completion.chunk","created":1766000000,"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}',
      },
    },
  ],
};

for (const [name, events] of Object.entries(streams)) {
  test(`reads ${name}, cut at every byte`, () => {
    const bytes = readFileSync(new URL(`./__fixtures__/${name}.sse`, import.meta.url));
    assertSameHoweverCut(openaiChat, bytes, events);
  });

  test(`says of ${name} that it stopped in the middle, wherever it does`, () => {
    const bytes = readFileSync(new URL(`./__fixtures__/${name}.sse`, import.meta.url));
    for (let end = 0; end < bytes.length; end += 7) {
      const last = hear(openaiChat, [bytes.subarray(0, end)]).at(-1);
      assert.ok(last?.type === 'error' || last?.type === 'finish', `at ${end}: ${last?.type}`);
      const told = bytes
        .subarray(0, end)
        .toString()
        .match(/"finish_reason":"/);
      if (told === null) assert.equal(last.type, 'error', `at ${end}`);
    }
  });
}
