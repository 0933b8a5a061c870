import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { normaliseModelName } from './normalise-model-name.ts';
import { samplingDefaults, samplingSource } from './sampling-defaults.ts';
import { samplingFor } from './sampling-for.ts';

describe('a model name', () => {
  const cases: Record<string, readonly string[]> = {
    'qwen-3-8b': [
      'qwen3:8b',
      'qwen3:8b-q4_K_M',
      'Qwen3-8B-Q4_K_M',
      'Qwen3-8B',
      'Qwen/Qwen3-8B',
      'hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M',
      'unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL',
      '/models/Qwen3-8B-Q8_0.gguf',
      'C:\\models\\Qwen3-8B-IQ4_XS.gguf',
      'Qwen3-8B-BF16-00001-of-00002.gguf',
      'qwen3-8b@q4_k_m',
      'Qwen3-8B-AWQ',
      'mlx-community/Qwen3-8B-4bit',
    ],
    'gemma-4-31b-it': ['gemma4:31b-it-q4_K_M', 'gemma-4-31B-it-Q4_K_M'],
    'mistral-nemo-instruct-2407': ['Mistral-Nemo-Instruct-2407.Q4_K_M'],
    'lfm-2.5-8b-a1b': ['LFM2.5-8B-A1B-Q4_K_M'],
    'gpt-oss-120b': ['gpt-oss:120b', 'openai/gpt-oss-120b', 'gpt-oss-120b-MXFP4.gguf'],
    phi: ['phi:latest'],
  };
  for (const [normal, names] of Object.entries(cases)) {
    for (const name of names) {
      it(`${name} is ${normal}`, () => assert.equal(normaliseModelName(name), normal));
    }
  }

  it('in its normal form stays as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9:_./@-]{0,30}$/), (name) => {
        const normal = normaliseModelName(name);
        assert.equal(normaliseModelName(normal), normal);
      }),
    );
    for (const name of Object.keys(samplingDefaults)) {
      assert.equal(normaliseModelName(normaliseModelName(name)), normaliseModelName(name));
    }
  });
});

describe('the table', () => {
  it('says where it comes from', () => assert.match(samplingSource, /model.*cards/));

  it('says one thing about each model, however it is spelt', () => {
    const seen = new Map<string, unknown>();
    for (const [name, row] of Object.entries(samplingDefaults)) {
      const normal = normaliseModelName(name);
      if (seen.has(normal)) assert.deepEqual(row, seen.get(normal), name);
      seen.set(normal, row);
    }
  });
});

describe('sampling advice', () => {
  it('is found for a known model, strict or not', () => {
    const advice = {
      settings: { temperature: 0.6, topP: 0.95, topK: 20, minP: 0 },
      extra: {},
    };
    assert.deepEqual(samplingFor('qwen3:8b'), advice);
    assert.deepEqual(samplingFor('Qwen3-8B-Q6_K.gguf', { strict: true }), advice);
  });

  it('carries what the chat template wants to know', () => {
    assert.deepEqual(samplingFor('gpt-oss:120b')?.extra, {
      chat_template_kwargs: { reasoning_effort: 'medium' },
    });
  });

  it('is nothing for an unknown model, or an error where it was insisted on', () => {
    assert.equal(samplingFor('home-made:1b'), undefined);
    assert.throws(
      () => samplingFor('home-made:1b', { strict: true }),
      (error) => ForgeError.is(error, 'invalid_options') && /home-made:1b/.test(error.message),
    );
  });
});
