import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ModelError } from '../wire/model-error.ts';
import { askWindow } from './ask-window.ts';
import type { WindowQuery } from './profile.ts';

/** A server that knows these answers by path. */
function asked(answers: Record<string, unknown>) {
  return async (path: string) => {
    if (path in answers) return answers[path];
    throw new ModelError({ kind: 'not_found', message: 'No such path.' });
  };
}

async function windowOf(query: WindowQuery, answers: Record<string, unknown>, model = 'm') {
  return askWindow(query, model, asked(answers));
}

describe('the context window', () => {
  it('of llama.cpp is what a slot has', async () => {
    const props = { default_generation_settings: { n_ctx: 8192 }, total_slots: 4 };
    assert.equal(await windowOf('llama-props', { '/props': props }), 8192);
  });

  it('of Ollama is what the model is loaded with', async () => {
    const ps = { models: [{ name: 'm:latest', model: 'm:latest', context_length: 16384 }] };
    assert.equal(await windowOf('ollama', { '/api/ps': ps }), 16384);
  });

  it('of Ollama is what its file says before it is loaded, else the least it may be', async () => {
    const info = { model_info: { 'qwen3.context_length': 40960 } };
    const show = (parameters: string) => ({ '/api/show': { ...info, parameters } });
    const set = show('stop "x"\nnum_ctx                        32768\ntemperature 1');
    assert.equal(await windowOf('ollama', set), 32768);
    assert.equal(await windowOf('ollama', show('')), 4096);
    const small = { '/api/show': { model_info: { 'tiny.context_length': 2048 } } };
    assert.equal(await windowOf('ollama', small), 2048);
  });

  it('of a model in a list has many names', async () => {
    const list = (fields: object) => ({
      '/v1/models': { data: [{ id: 'x' }, { id: 'm', ...fields }] },
    });
    assert.equal(await windowOf('models-list', list({ max_model_len: 32768 })), 32768);
    assert.equal(await windowOf('models-list', list({ context_length: 200000 })), 200000);
    assert.equal(await windowOf('models-list', list({ context_window: '131072' })), 131072);
    assert.equal(await windowOf('models-list', list({ context_length: null })), undefined);
    assert.equal(await windowOf('models-list', list({ meta: { n_ctx: 2048 } })), 2048);
    const bare = { '/v1/models': [{ id: 'm', context_length: 5000 }] };
    assert.equal(await windowOf('models-list', bare), 5000);
  });

  it('of LM Studio is that of what is loaded', async () => {
    const model = { id: 'm', max_context_length: 131072, loaded_context_length: 4096 };
    assert.equal(await windowOf('lmstudio', { '/api/v0/models': { data: [model] } }), 4096);
  });

  it('of Anthropic and Gemini is told with the model', async () => {
    const claude = { '/v1/models/m': { max_input_tokens: 200000 } };
    assert.equal(await windowOf('anthropic', claude), 200000);
    const local = { '/v1/models': { data: [{ id: 'a.gguf', meta: { n_ctx: 2048 } }] } };
    assert.equal(await windowOf('anthropic', local), 2048);
    const gemini = { '/v1beta/models/m': { inputTokenLimit: 1048576 } };
    assert.equal(await windowOf('gemini', gemini), 1048576);
  });

  const queries = [
    'llama-props',
    'ollama',
    'lmstudio',
    'models-list',
    'anthropic',
    'gemini',
    'none',
  ] as const;

  it('is unknown where the server does not know the question', async () => {
    for (const query of queries) assert.equal(await windowOf(query, {}), undefined);
  });

  it('is a whole number or unknown, whatever the server says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...queries), fc.jsonValue(), async (query, answer) => {
        const found = await askWindow(query, 'm', async () => answer);
        assert.ok(found === undefined || (Number.isInteger(found) && found > 0));
      }),
    );
  });

  it('does not hide an abort', async () => {
    const aborted = async () => {
      throw new Error('aborted');
    };
    await assert.rejects(askWindow('llama-props', 'm', aborted), /aborted/);
  });
});
