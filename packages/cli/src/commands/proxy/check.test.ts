import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from '@forge/core/testing';
import { ModelError } from '@forge/models';
import { type ScriptedServerOptions, startScriptedServer } from '@forge/models/testing';
import { forge } from './forge.test.ts';

type Script = ScriptedServerOptions['script'];

const right = calls(['get_weather', { city: 'Oslo', unit: 'celsius' }]);
const asText =
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "celsius"}}\n</tool_call>';

async function check(script: Script, args: readonly string[] = [], contextLength = 32_768) {
  const server = await startScriptedServer({
    wire: 'openai-chat',
    script,
    model: 'qwen',
    contextLength,
  });
  try {
    const result = await forge(['proxy', 'check', '--backend-url', server.url, ...args]);
    const paths = [...new Set(server.exchanges.map(({ path }) => path))];
    return { ...result, generations: server.exchanges.length, paths };
  } finally {
    await server.close();
  }
}

test('a model that calls by itself: nothing to fix, two generations', async () => {
  const { code, stdout, generations, paths } = await check(() => right);
  assert.deepEqual([code, generations], [0, 2]);
  assert.deepEqual(paths, ['/v1/chat/completions']);
  assert.match(stdout, /^backend +llama-server at .*, qwen, 32,768 tokens of context$/m);
  assert.match(stdout, /^directly +a native call, get_weather\(\{"city":"Oslo"/m);
  assert.match(stdout, /^streaming +yes$/m);
  assert.match(stdout, /^proxy +a native call/m);
  assert.match(stdout, /^advice +Nothing to fix here/m);
});

test('a call as text: says the format, and that the proxy rescued it', async () => {
  const { code, stdout } = await check(() => asText);
  assert.equal(code, 0);
  assert.match(stdout, /^directly +a call written as text \(hermes\)/m);
  assert.match(stdout, /^ +rescued: call found in text \(hermes\)$/m);
});

test('a model that has to be held to a call', async () => {
  const { code, stdout } = await check(
    ({ responseFormat, toolChoice }) =>
      responseFormat === undefined && toolChoice !== 'none' ? 'It is nice there.' : rightFor(),
    ['--json'],
  );
  const report = JSON.parse(stdout);
  assert.equal(code, 0);
  assert.equal(report.direct.saw, 'answer');
  assert.equal(report.proxy.toolChoice, 'required');
  assert.equal(report.proxy.trial.saw, 'native');
  assert.equal(report.proxy.outcome, 'retried');
});

/** What a server says when a schema for calls is in force. */
function rightFor(): string {
  return JSON.stringify({ tool: 'get_weather', arguments: { city: 'Oslo', unit: 'celsius' } });
}

test('a model that only talks ends with 1 and with advice', async () => {
  const { code, stdout, stderr } = await check(() => 'It is nice there.', [], 4_096);
  assert.equal(code, 1);
  assert.match(stdout, /^directly +words only: "It is nice there\."$/m);
  assert.match(stdout, /exhausted: \d replies, none right/);
  assert.match(stdout, /--backend-capability prompt/);
  assert.match(stdout, /A window of 4096 tokens is small .* -c 16384/s);
  assert.match(stderr, /No tool call could be had from qwen/);
});

test('a server that refuses tools is asked without streaming too, and by the prompt', async () => {
  const { code, stdout } = await check(
    ({ tools }) =>
      tools.length > 0
        ? new ModelError({ kind: 'bad_request', message: 'no tools here', status: 400 })
        : asText,
    ['--backend-capability', 'prompt', '--json'],
  );
  const report = JSON.parse(stdout);
  assert.equal(report.direct.saw, 'error');
  assert.equal(report.streaming, false);
  assert.deepEqual([code, report.proxy.trial.saw], [0, 'native']);
});

test('--json has all of it on one line, also when it fails', async () => {
  const { code, stdout } = await check(() => '', ['--json']);
  const report = JSON.parse(stdout);
  assert.deepEqual([code, report.ok, report.backend.kind], [1, false, 'llamaserver']);
  assert.ok(report.advice.length > 0);
  assert.equal(stdout.trimEnd().includes('\n'), false);
});

test('a backend that is not there ends with 1', async () => {
  const { code, stderr } = await forge(['proxy', 'check', '--backend-url', 'http://127.0.0.1:9']);
  assert.equal(code, 1);
  assert.match(stderr, /Nobody answers at http:\/\/127\.0\.0\.1:9\. Start the server/);
});

test('flags that concern the server are refused', async () => {
  const { code, stderr } = await forge(['proxy', 'check', '--workers', '2']);
  assert.equal(code, 2);
  assert.match(stderr, /--workers has no effect with "forge proxy check"/);
});

test('speaks to backends of other wires', async (t) => {
  const server = await startScriptedServer({
    wire: 'anthropic-messages',
    script: () => right,
    model: 'claude',
  });
  t.after(() => server.close());
  const args = ['--backend-url', server.url, '--backend', 'anthropic', '--json'];
  const { code, stdout } = await forge(['proxy', 'check', ...args], {
    environment: { FORGE_BACKEND_API_KEY: 'sk-secret' },
  });
  const report = JSON.parse(stdout);
  assert.deepEqual([code, report.direct.saw, report.proxy.trial.saw], [0, 'native', 'native']);
  assert.equal(server.exchanges[0]?.headers['x-api-key'], 'sk-secret');
  assert.doesNotMatch(stdout, /sk-secret/);
});
