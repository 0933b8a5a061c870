import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { parseModelName } from './parse-model-name.ts';
import { profiles } from './profiles.ts';

describe('the name of a model', () => {
  const cases: Record<string, { provider: string; model: string; baseUrl?: string }> = {
    'ollama:qwen3:8b': { provider: 'ollama', model: 'qwen3:8b' },
    'ollama:hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M': {
      provider: 'ollama',
      model: 'hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M',
    },
    'anthropic:claude-sonnet-4-5': { provider: 'anthropic', model: 'claude-sonnet-4-5' },
    'openrouter:anthropic/claude-sonnet-4.5:nitro': {
      provider: 'openrouter',
      model: 'anthropic/claude-sonnet-4.5:nitro',
    },
    'llamacpp:http://127.0.0.1:8080': {
      provider: 'llamacpp',
      model: '',
      baseUrl: 'http://127.0.0.1:8080',
    },
    llamafile: { provider: 'llamafile', model: '' },
    'vllm:http://gpu:8000/v1#Qwen/Qwen3-8B': {
      provider: 'vllm',
      model: 'Qwen/Qwen3-8B',
      baseUrl: 'http://gpu:8000/v1',
    },
    'openai-compatible:https://h/api/v1#a#b': {
      provider: 'openai-compatible',
      model: 'a#b',
      baseUrl: 'https://h/api/v1',
    },
  };
  for (const [name, expected] of Object.entries(cases)) {
    it(name, () => {
      const { profile, ...rest } = parseModelName(name);
      assert.deepEqual(rest, expected);
      assert.ok(profile);
    });
  }

  it('of an unknown provider is refused with the known ones', () => {
    for (const name of ['claude-sonnet-4-5', 'mistral:large', '', 'toString:x']) {
      assert.throws(
        () => parseModelName(name),
        (error) => {
          assert.ok(ForgeError.is(error, 'invalid_options'));
          for (const known of Object.keys(profiles)) assert.ok(error.message.includes(known));
          return true;
        },
      );
    }
  });

  it('needs a model where the server has several', () => {
    for (const name of ['ollama', 'ollama:', 'openai-compatible:http://h/v1', 'vllm:http://h#']) {
      assert.throws(() => parseModelName(name), { code: 'invalid_options' });
    }
  });
});
