import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Route, routeOf } from './routes.ts';

function say(route: Route): string {
  switch (route.type) {
    case 'reply':
      return route.hints === undefined
        ? route.wire.name
        : `${route.wire.name} ${route.hints.model} ${route.hints.stream}`;
    case 'own':
      return `own ${route.page}`;
    case 'redirect':
      return `to ${route.to}`;
    default:
      return route.type;
  }
}

const rows: readonly (readonly [request: string, route: string, path?: string, search?: string])[] =
  [
    ['POST /v1/chat/completions', 'openai-chat', '/v1/chat/completions', ''],
    ['POST /chat/completions', 'openai-chat', '/v1/chat/completions'],
    ['POST /v1/responses', 'openai-responses'],
    ['POST /responses', 'openai-responses'],
    ['POST /v1/messages', 'anthropic-messages'],
    ['POST /messages', 'anthropic-messages', '/v1/messages'],
    ['POST /api/chat', 'ollama'],
    ['POST /v1/messages?beta=true', 'anthropic-messages', '/v1/messages', '?beta=true'],
    ['POST /v1/messages/count_tokens', 'count_tokens'],
    ['POST /v1/messages/count_tokens?beta=true', 'count_tokens'],
    ['POST /v1/chat/completions/', 'openai-chat', '/v1/chat/completions'],
    ['POST //v1//chat/completions', 'openai-chat', '/v1/chat/completions'],
    ['POST /v1/v1/chat/completions', 'openai-chat', '/v1/chat/completions'],
    ['POST /v1/v1/messages?a=1', 'anthropic-messages', '/v1/messages', '?a=1'],
    ['POST /v1/chat%2Fcompletions', 'openai-chat'],
    ['POST /v1/%63hat/completions', 'openai-chat'],
    ['POST http://127.0.0.1:8081/v1/chat/completions?x', 'openai-chat', undefined, '?x'],
    ['POST HTTPS://host/v1/messages', 'anthropic-messages'],
    ['POST /v1/responses#part', 'openai-responses', '/v1/responses', ''],
    ['POST /v1beta/models/gemini-x:generateContent', 'gemini gemini-x false'],
    [
      'POST /v1beta/models/gemini-x:streamGenerateContent?alt=sse',
      'gemini gemini-x true',
      '/v1beta/models/gemini-x:streamGenerateContent',
      '?alt=sse',
    ],
    [
      'POST /models/qwen3:8b:generateContent',
      'gemini qwen3:8b false',
      '/v1beta/models/qwen3:8b:generateContent',
    ],
    ['POST /v1/models/org%2Fname:generateContent', 'gemini org/name false'],
    ['POST /v1beta/tunedModels/mine:generateContent', 'gemini tunedModels/mine false'],
    ['POST /v1beta/models/x:countTokens', 'pass'],
    ['GET /forge/health', 'own health'],
    ['HEAD /forge/health', 'own health'],
    ['GET /forge/health/', 'own health'],
    ['GET /forge/usage?since=1', 'own usage', '/forge/usage', '?since=1'],
    ['GET /forge/', 'own page'],
    ['GET /forge', 'to /forge/'],
    ['GET /metrics', 'own metrics'],
    ['OPTIONS /v1/chat/completions', 'preflight'],
    ['OPTIONS *', 'preflight'],
    ['GET /v1/models', 'pass', '/v1/models', ''],
    ['GET /v1/v1/models', 'pass', '/v1/models', ''],
    ['GET /v1/models/a%2Fb?x=%20', 'pass', '/v1/models/a%2Fb', '?x=%20'],
    ['GET //elsewhere.test/x', 'pass', '/elsewhere.test/x', ''],
    ['GET /a//b', 'pass', '/a//b', ''],
    ['GET http://elsewhere.test', 'pass', '/', ''],
    ['GET /%', 'pass', '/%', ''],
    ['POST /forge/health', 'pass'],
    ['GET /v1/chat/completions', 'pass'],
    ['DELETE /v1/chat/completions', 'pass'],
    ['POST /V1/CHAT/COMPLETIONS', 'pass'],
    ['POST /v1/chat/completions/../../x', 'pass'],
    ['POST /v12/models', 'pass', '/v12/models'],
    ['GET ', 'pass', '/', ''],
    ['POST /v1/embeddings', 'pass'],
  ];

for (const [request, expected, path, search] of rows) {
  test(`${request} is ${expected}`, () => {
    const space = request.indexOf(' ');
    const route = routeOf(request.slice(0, space), request.slice(space + 1));
    assert.equal(say(route), expected);
    if (path !== undefined) assert.equal(route.path, path);
    if (search !== undefined) assert.equal(route.search, search);
  });
}

test('a usual target gets the same route object each time', () => {
  assert.equal(routeOf('POST', '/v1/messages'), routeOf('POST', '/v1/messages'));
});

test('any target has a route whose path begins with one slash', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'X'),
      fc.oneof(fc.string(), fc.webUrl(), fc.webPath()),
      (method, target) => {
        const { path, search } = routeOf(method, target);
        assert.match(path, /^\/(?!\/)/);
        assert.ok(search === '' || search.startsWith('?'));
      },
    ),
  );
});
