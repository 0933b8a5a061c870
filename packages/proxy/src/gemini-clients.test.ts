import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { wires } from '@forge/models';
import { startScriptedServer } from '@forge/models/testing';
import { createProxy } from './create-proxy.ts';
import type { ProxyOptions } from './options.ts';
import { startRawBackend } from './raw-backend.test.ts';

const parameters = {
  type: 'object',
  properties: { query: { type: 'string' } },
  required: ['query'],
};
const asked = {
  contents: [{ role: 'user', parts: [{ text: 'Go.' }] }],
  tools: [{ functionDeclarations: [{ name: 'search', description: 'Search', parameters }] }],
};
const path = '/v1beta/models/m:streamGenerateContent';

async function between(options: Partial<ProxyOptions> & Pick<ProxyOptions, 'backend'>) {
  const proxy = await createProxy({
    port: 0,
    onBug: (error) => assert.fail(String(error)),
    ...options,
  });
  after(() => proxy.close());
  return (at: string, body: object) =>
    fetch(proxy.url + at, { method: 'POST', body: JSON.stringify(body) });
}

/** What the candidates of a list say, in order. */
function partsOf(list: unknown): readonly unknown[] {
  assert.ok(Array.isArray(list));
  return list.flatMap(({ candidates = [] }) => candidates[0]?.content?.parts ?? []);
}

describe('a stream of Gemini that is not asked for as events is one JSON list', () => {
  for (const { name } of Object.values(wires)) {
    it(`text, and a call that was asked for again: backend ${name}`, async () => {
      const script = [calls(['search', {}]), calls(['search', { query: 'x' }]), 'Found it.'];
      const server = await startScriptedServer({ wire: name, script });
      after(() => server.close());
      const post = await between({ backend: { url: server.url, wire: name } });
      const called = await post(path, asked);
      assert.equal(called.headers.get('content-type'), 'application/json');
      const [call] = partsOf(await called.json()).filter(
        (part) => typeof part === 'object' && part !== null && 'functionCall' in part,
      );
      assert.match(JSON.stringify(call), /"search".*"query":"x"/);
      const answered = partsOf(await (await post(`${path}?alt=json`, asked)).json());
      assert.match(JSON.stringify(answered), /Found/);
    });
  }

  it('with an error as its last item', async () => {
    const server = await startRawBackend((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"Hi."}}]}\n\n`, () =>
        setImmediate(() => response.destroy()),
      );
    });
    after(() => server.close());
    const post = await between({ backend: { url: server.url } });
    const list: unknown = await (await post(path, asked)).json();
    assert.match(JSON.stringify(list), /Hi\..*"error"/);
  });

  it('goes by untouched where there is nothing to guard', async () => {
    const list = '[{"candidates":[]}\n,\r\n{"candidates":[]}]\n';
    const server = await startRawBackend(({ request }, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-asked': request.url });
      response.end(list);
    });
    after(() => server.close());
    const post = await between({ backend: { url: server.url, wire: 'gemini' } });
    const response = await post(path, { contents: asked.contents });
    assert.equal(await response.text(), list);
    assert.equal(response.headers.get('x-asked'), path);
  });
});

describe('what clients of Gemini say in the query', () => {
  it('stays when the model is pinned', async () => {
    const server = await startRawBackend(({ request }, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-asked': request.url });
      response.end('{"candidates":[]}');
    });
    after(() => server.close());
    const post = await between({ backend: { url: server.url, wire: 'gemini', model: 'mine' } });
    const { contents } = asked;
    const streamed = await post(`${path}?alt=sse&key=k`, { contents });
    const asks = '/v1beta/models/mine:streamGenerateContent?alt=sse&key=k';
    assert.equal(streamed.headers.get('x-asked'), asks);
    const whole = await post('/v1beta/models/m:generateContent', { contents });
    assert.equal(whole.headers.get('x-asked'), '/v1beta/models/mine:generateContent');
  });
});

it('several candidates are not guarded, in either spelling of the settings', async () => {
  const reply = {
    candidates: [1, 2].map((index) => ({ index, content: { parts: [{ text: 'Hi.' }] } })),
  };
  const server = await startRawBackend((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply)),
  );
  after(() => server.close());
  const post = await between({ backend: { url: server.url, wire: 'gemini' } });
  const toolConfig = { functionCallingConfig: { mode: 'ANY' } };
  for (const settings of [
    { generationConfig: { candidateCount: 2 } },
    { generation_config: { candidate_count: 2 } },
  ]) {
    const body = { ...asked, ...settings, toolConfig };
    const response = await post('/v1beta/models/m:generateContent', body);
    assert.deepEqual(await response.json(), reply);
  }
  assert.equal(server.bodies.length, 2);
});
