import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseModelName } from './parse-model-name.ts';
import { resolveBaseUrl } from './resolve-base-url.ts';
import { resolveKey } from './resolve-key.ts';

const none = () => undefined;
const reads = (variables: Record<string, string>) => (name: string) => variables[name];

describe('where the server is', () => {
  const at = (name: string, given?: string, variables: Record<string, string> = {}) =>
    resolveBaseUrl(parseModelName(name), given, reads(variables));

  it('is the usual place, unless the variable, the name or the option says otherwise', () => {
    const variables = { OPENAI_BASE_URL: 'https://gateway/openai/v1' };
    assert.equal(at('openai:gpt-5'), 'https://api.openai.com/v1');
    assert.equal(at('openai:gpt-5', undefined, variables), 'https://gateway/openai/v1');
    assert.equal(at('openai:http://h/v1#gpt-5', undefined, variables), 'http://h/v1');
    assert.equal(at('openai:http://h/v1#gpt-5', 'http://i/v1', variables), 'http://i/v1');
  });

  it('gets its version if the address has no path', () => {
    assert.equal(at('llamacpp:http://h:8080'), 'http://h:8080/v1');
    assert.equal(at('gemini:http://h:8080#gemini-3-pro'), 'http://h:8080/v1beta');
    assert.equal(at('ollama:http://h:11434#qwen3'), 'http://h:11434');
  });

  it('is read from OLLAMA_HOST in its loose forms', () => {
    const host = (value: string) => at('ollama:qwen3', undefined, { OLLAMA_HOST: value });
    assert.equal(host('0.0.0.0'), 'http://127.0.0.1:11434');
    assert.equal(host('gpu:9999'), 'http://gpu:9999');
    assert.equal(host('https://ollama.example.com'), 'https://ollama.example.com');
  });

  it('has to be told where there is no usual place', () => {
    assert.throws(() => at('openai-compatible:some-model'), { code: 'invalid_options' });
    assert.equal(at('openai-compatible:some-model', 'http://h'), 'http://h/v1');
  });
});

describe('the key', () => {
  const key = (name: string, given?: string, variables: Record<string, string> = {}) =>
    resolveKey(parseModelName(name), given, reads(variables)).headers;

  it('comes from the option or the variable, in the header the provider reads', () => {
    const variables = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' };
    assert.deepEqual(key('anthropic:c', undefined, variables), { 'x-api-key': 'a' });
    assert.deepEqual(key('gemini:g', undefined, variables), { 'x-goog-api-key': 'g' });
    assert.deepEqual(key('openai:g', undefined, variables), { authorization: 'Bearer o' });
    assert.deepEqual(key('openai:g', 'mine', variables), { authorization: 'Bearer mine' });
  });

  it('is not needed by servers of one’s own', () => {
    assert.deepEqual(key('ollama:q'), {});
    assert.deepEqual(key('lmstudio:q'), {});
  });

  it('that is missing is an auth error that names the variable', () => {
    for (const [name, variable] of [
      ['openai:gpt-5', 'OPENAI_API_KEY'],
      ['anthropic:c', 'ANTHROPIC_API_KEY'],
      ['gemini:g', 'GEMINI_API_KEY'],
      ['openrouter:x', 'OPENROUTER_API_KEY'],
      ['deepseek:x', 'DEEPSEEK_API_KEY'],
      ['groq:x', 'GROQ_API_KEY'],
      ['together:x', 'TOGETHER_API_KEY'],
    ] as const) {
      assert.throws(() => resolveKey(parseModelName(name), undefined, none), {
        name: 'ModelError',
        kind: 'auth',
        message: new RegExp(variable),
      });
    }
  });
});
