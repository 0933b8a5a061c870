import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wires } from '@forge/models';
import { createBackendPaths, replyPath } from './backend-paths.ts';

const chat = replyPath(wires['openai-chat'], { model: 'm', stream: true });
const gemini = replyPath(wires.gemini, { model: 'm', stream: true });
const tail = 'models/m:streamGenerateContent?alt=sse';

const rows: readonly (readonly [base: string, asked: string, path: string])[] = [
  ['http://h', chat, '/v1/chat/completions'],
  ['http://h/', '/v1/chat/completions', '/v1/chat/completions'],
  ['http://h/v1', chat, '/v1/chat/completions'],
  ['http://h/v1/', '/v1/chat/completions', '/v1/chat/completions'],
  ['http://h/api/v1//', chat, '/api/v1/chat/completions'],
  ['http://h/paas/v4', '/v1/chat/completions', '/paas/v4/chat/completions'],
  ['http://[::1]:8080/v1', chat, '/v1/chat/completions'],
  ['http://h/ollama', chat, '/ollama/v1/chat/completions'],
  ['http://h/v1beta/openai', chat, '/v1beta/openai/chat/completions'],
  ['http://h/v1beta/openai', '/v1/models', '/v1beta/openai/models'],
  ['http://h/v1?api-version=2', chat, '/v1/chat/completions?api-version=2'],
  ['http://h/v1?api-version=2', '/health?x=1', '/health?api-version=2&x=1'],
  ['http://h', gemini, `/v1beta/${tail}`],
  ['http://h/v1', gemini, `/v1/${tail}`],
  [
    'http://h',
    replyPath(wires['openai-responses'], { model: 'm', stream: false }),
    '/v1/responses',
  ],
  ['http://h/v1', replyPath(wires.ollama, { model: 'm', stream: false }), '/api/chat'],
  [
    'http://h/v1',
    replyPath(wires['anthropic-messages'], { model: 'm', stream: false }),
    '/v1/messages',
  ],
  ['http://h/v1', '/health', '/health'],
  ['http://h/x/v1', '/props?a=b?c', '/x/props?a=b?c'],
  ['http://h', '/docs/', '/docs/'],
  ['http://h', '/', '/'],
  ['http://h', '/v1/models/a%2Fb', '/v1/models/a%2Fb'],
];

describe('the path at the backend', () => {
  for (const [base, asked, path] of rows) {
    it(`${asked} of ${base}`, () => {
      const resolve = createBackendPaths(base);
      assert.equal(resolve(asked), path);
      assert.equal(resolve(asked), path);
    });
  }
});

it('no path leads out of the base URL, however it is written', () => {
  for (const base of ['http://h/tenant-a', 'http://h/tenant-a/v1']) {
    const resolve = createBackendPaths(base);
    for (const path of [
      '/v1/../../tenant-b/models',
      '/v1/%2e%2e/%2E%2e/tenant-b/models',
      '/../tenant-a-b/models',
      '/v1\\..\\..\\models',
    ]) {
      assert.throws(() => resolve(path), { kind: 'bad_request', status: 400 }, path);
    }
    assert.equal(resolve('/v1/../props'), '/tenant-a/props');
  }
  assert.equal(createBackendPaths('http://h')('/../../props'), '/props');
});
