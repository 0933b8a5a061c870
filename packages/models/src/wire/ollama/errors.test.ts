import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingCapability, ollama } from './index.ts';

function decode(status: number, error: string, headers: Record<string, string> = {}) {
  return ollama.decodeError({ status, headers, body: JSON.stringify({ error }) });
}

test('tells what went wrong, most of all by the text', () => {
  for (const [status, text, kind] of [
    [400, '"gemma:2b" does not support thinking', 'bad_request'],
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools', 'bad_request'],
    [400, 'invalid character', 'bad_request'],
    [400, 'the prompt is longer than the context length currently available', 'context_overflow'],
    [400, 'the input length exceeds the context length', 'context_overflow'],
    [
      500,
      'request (9000 tokens) exceeds the available context size (4096 tokens)',
      'context_overflow',
    ],
    [401, 'unauthorized', 'auth'],
    [404, "model 'x' not found", 'not_found'],
    [429, 'too many requests', 'rate_limited'],
    [503, 'server busy, please try again.  maximum pending requests exceeded', 'overloaded'],
    [500, 'model requires more system memory (9 GiB) than is available (4 GiB)', 'overloaded'],
    [500, "error parsing tool call: raw='{', err=unexpected end of JSON input", 'bad_response'],
    [500, 'llama runner process has terminated', 'unavailable'],
  ] as const) {
    const error = decode(status, text);
    assert.equal(error.kind, kind, text);
    assert.ok(error.message.startsWith(`Ollama: ${text}`));
    assert.equal(error.status, status);
  }
});

test('says what a model cannot do, and what to do about it', () => {
  const thinking = decode(400, '"gemma:2b" does not support thinking');
  assert.equal(missingCapability(thinking), 'thinking');
  assert.match(thinking.message, /Leave reasoning unset/);
  const tools = decode(400, '"gemma:2b" does not support tools');
  assert.equal(missingCapability(tools), 'tools');
  assert.match(tools.message, /Describe the tools in the prompt/);
  assert.equal(missingCapability(decode(404, 'model not found')), undefined);
});

test('reads errors of other shapes', () => {
  const nested = JSON.stringify({ error: { message: 'no such model' } });
  assert.equal(
    ollama.decodeError({ status: 404, headers: {}, body: nested }).message,
    'Ollama: no such model',
  );
  const html = ollama.decodeError({ status: 502, headers: { 'retry-after': '3' }, body: '<html>' });
  assert.deepEqual(html, {
    kind: 'unavailable',
    message: 'Ollama answered with status 502.',
    status: 502,
    retryAfter: 3000,
    body: '<html>',
  });
});
