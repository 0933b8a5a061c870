import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { calls } from '@forge/core/testing';
import { startScriptedServer } from '@forge/models/testing';
import { type ForgeOptions, forge, startForge, temporaryFolder } from './proxy/forge.test.ts';

const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
};

async function chat(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'asked-for',
      messages: [{ role: 'user', content: 'Weather in Oslo?' }],
      tools: [tool],
    }),
  });
  return { status: response.status, body: await response.json() };
}

function urlIn(line: string): string {
  const [url] = /http:\/\/\S+/.exec(line) ?? assert.fail(`no address in ${line}`);
  return url;
}

async function withServer(
  t: TestContext,
  script: Parameters<typeof startScriptedServer>[0]['script'],
) {
  const server = await startScriptedServer({
    wire: 'openai-chat',
    script,
    model: 'qwen-test',
    contextLength: 16_384,
  });
  t.after(() => server.close());
  return server;
}

/** Stopped at the end of the test, however that ends. */
function start(t: TestContext, args: readonly string[], options?: ForgeOptions) {
  const running = startForge(args, options);
  t.after(async () => {
    running.stop();
    await running.ended;
  });
  return running;
}

const right = calls(['get_weather', { city: 'Oslo' }]);
const asText = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';

test('says what it is, shows what needed help, counts at the end, and ends with 0', async (t) => {
  const server = await withServer(t, [right, asText, 'unused']);
  const running = start(t, ['proxy', '--backend-url', server.url, '--port', '0']);
  const url = urlIn(await running.line(/^ {2}listens/));
  await running.line(/Ctrl-C stops it/);
  assert.equal((await chat(url)).status, 200);
  const rescued = await chat(url);
  assert.equal(rescued.body.choices[0].message.tool_calls[0].function.name, 'get_weather');
  await running.line(/rescued {4}\S+ {2}200 .*call found in text \(hermes\)/);
  running.stop();
  const { code, stdout, stderr } = await running.ended;
  assert.equal(code, 0);
  assert.match(stdout, /^forge proxy \d/);
  assert.ok(
    stdout.includes(`llama-server at ${server.url}, qwen-test, 16,384 tokens of context`),
    stdout,
  );
  assert.ok(stdout.includes(`OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=none`));
  assert.ok(stdout.includes(`ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=none`));
  assert.ok(stdout.includes(`${url}/forge/`));
  assert.doesNotMatch(stdout, /\d clean +\S+ +200/, 'clean requests only with --verbose');
  assert.match(stdout, /^2 requests: 1 clean, 1 rescued\.$/m);
  assert.match(stderr, /^Stopping\./m);
});

test('--verbose shows every request', async (t) => {
  const server = await withServer(t, [right]);
  const running = start(t, ['proxy', '--backend-url', server.url, '--port', '0', '--verbose']);
  const url = urlIn(await running.line(/^ {2}listens/));
  await chat(url);
  await running.line(/^\d\d:\d\d:\d\d {2}clean {6}asked-for {2}200 /);
  running.stop();
  assert.equal((await running.ended).code, 0);
});

test('--json prints started, each request, and stopped', async (t) => {
  const server = await withServer(t, [asText]);
  const running = start(t, ['proxy', '--backend-url', server.url, '--port', '0', '--json']);
  const started = JSON.parse(await running.line(/"started"/));
  await chat(started.url);
  await running.line(/"request"/);
  running.stop();
  const { code, stdout } = await running.ended;
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(code, 0);
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['started', 'request', 'stopped'],
  );
  assert.equal(lines[0].backend.contextLength, 16_384);
  assert.equal(lines[1].outcome, 'rescued');
  assert.deepEqual(lines[2].outcomes, { rescued: 1 });
});

test('takes a profile, over which flags and the environment win', async (t) => {
  const server = await withServer(t, [right, right]);
  using folder = temporaryFolder({
    'forge.yaml': `
proxy:
  default: local
  profiles:
    local:
      backend: { url: "${server.url}", model: from-profile, apiKeyEnv: MY_KEY }
      port: 0
      apiKeyEnv: CALLER_KEY
`,
  });
  const running = start(t, ['proxy', '--model', 'from-flag'], {
    cwd: folder.path,
    environment: {
      MY_KEY: 'from-profile',
      CALLER_KEY: 'caller',
      FORGE_BACKEND_API_KEY: 'from-environment',
    },
  });
  const url = urlIn(await running.line(/^ {2}listens/));
  await running.line(new RegExp(`^ {2}profile +local \\(${join(folder.path, 'forge.yaml')}\\)`));
  await running.line(/OPENAI_API_KEY=YOUR_KEY/);
  assert.equal((await chat(url)).status, 401);
  assert.equal((await chat(url, { authorization: 'Bearer caller' })).status, 200);
  running.stop();
  const { code, stdout, stderr } = await running.ended;
  assert.equal(code, 0);
  assert.equal(server.exchanges[0]?.headers.authorization, 'Bearer from-environment');
  assert.equal(server.requests[0]?.model, 'from-flag');
  assert.doesNotMatch(stdout + stderr, /from-environment|caller\b/i);
});

test('without a backend it takes the one that runs, and tells of others', async (t) => {
  const first = await withServer(t, [right]);
  const second = await withServer(t, []);
  const running = start(t, ['proxy', '--port', '0'], {
    environment: { FORGE_BACKEND_ADDRESSES: `http://127.0.0.1:9, ${first.url},${second.url}` },
  });
  await running.line(new RegExp(`backend +llama-server at ${first.url}`));
  await running.line(new RegExp(`Also running: .*--backend-url ${second.url}`));
  running.stop();
  assert.equal((await running.ended).code, 0);
});

test('says what to do where no server is found', async () => {
  const { code, stderr } = await forge(['proxy'], {
    environment: { FORGE_BACKEND_ADDRESSES: 'http://127.0.0.1:9' },
  });
  assert.equal(code, 1);
  assert.match(stderr, /No model server was found/);
  assert.match(stderr, /forge proxy --backend-url/);
});

test('a backend that is not there yet is a warning', async (t) => {
  const running = start(t, ['proxy', '--backend-url', 'http://127.0.0.1:9', '--port', '0']);
  await running.line(/Nobody answers at http:\/\/127\.0\.0\.1:9 yet/);
  const url = urlIn(await running.line(/^ {2}listens/));
  assert.ok((await chat(url)).status >= 500);
  await running.line(/failed +asked-for/);
  running.stop();
  assert.equal((await running.ended).code, 0);
});

test('a port that is taken is an error that names --port', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const { code, stderr } = await forge([
    'proxy',
    '--backend-url',
    'http://127.0.0.1:9',
    '--port',
    String(port),
  ]);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`Port ${port} .*is taken.*--port`));
});

test('warns where anybody could use it', async (t) => {
  const running = start(t, [
    ...['proxy', '--backend-url', 'http://127.0.0.1:9'],
    ...['--port', '0', '--host', '0.0.0.0'],
  ]);
  await running.line(/Anybody who reaches 0\.0\.0\.0 can use it\. Set FORGE_PROXY_API_KEY/);
  await running.line(/OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1/);
  running.stop();
  assert.equal((await running.ended).code, 0);
});

const wrong: readonly (readonly [string[], RegExp])[] = [
  [['--port', 'high'], /It takes a port/],
  [['--port', '70000'], /It takes a port/],
  [['--backend-url', '127.0.0.1:8080'], /It takes an address, such as http/],
  [['--backend', 'lama'], /Allowed choices are llamaserver/],
  [['--backend-wire', 'chat'], /Allowed choices are openai-chat/],
  [['--max-retries', '-1'], /whole number/],
  [['--workers', '0'], /at least 1/],
  [['--max-body', 'much'], /It takes a size, such as 64MiB/],
  [['--backend-timeout', '0'], /number of seconds/],
  [['--reasoning-replay', 'some'], /as-sent, none, last or full/],
  [['--constrain', 'never'], /Allowed choices are off, on-retry, always/],
  [['--backend-url', 'http://x', '--gguf', 'a.gguf'], /--gguf has no effect: the server at/],
  [['--backend-url', 'http://x', '--budget-tokens', '9'], /--budget-mode has no effect/],
  [['--backend', 'ollama', '--', '--threads', '3'], /Flags for the server have no effect/],
  [['--backend', 'ollama', '--gguf', 'a.gguf'], /ollama is not started by forge/],
  [['--budget-mode', 'manual', '--gguf', 'a.gguf'], /needs --budget-tokens/],
  [['--model-path', 'folder'], /Say what to start/],
  [['--profile', 'work'], /There is no proxy profile "work".*forge proxy init --profile work/],
  [['--config', 'nowhere.yaml'], /There is no file .*nowhere\.yaml/],
  [['chekc'], /There is no "forge proxy chekc"\. There are: init, check/],
  [['--modle', 'x'], /unknown option '--modle'\n\(Did you mean --model\?\)/],
];

for (const [args, message] of wrong) {
  test(`forge proxy ${args.join(' ')} ends with 2 and says what is wrong`, async () => {
    using folder = temporaryFolder();
    const { code, stdout, stderr } = await forge(['proxy', ...args], { cwd: folder.path });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
    assert.match(stderr, /forge .*--help/);
  });
}

test('a wrong forge.yaml ends with 1 and says where', async () => {
  using folder = temporaryFolder({ 'forge.yaml': 'proxy:\n  profils: {}\n' });
  const { code, stderr } = await forge(['proxy'], { cwd: folder.path });
  assert.equal(code, 1);
  assert.match(stderr, /forge\.yaml:2:3: proxy\.profils is not known\. Did you mean profiles\?/);
});

test('a key that a profile names and nobody set is an error', async () => {
  using folder = temporaryFolder({
    'forge.yaml': 'proxy: { default: a, profiles: { a: { apiKeyEnv: CALLER_KEY } } }\n',
  });
  const { code, stderr } = await forge(['proxy'], { cwd: folder.path });
  assert.equal(code, 1);
  assert.match(stderr, /CALLER_KEY is not set/);
});

test('the help says how keys are given and what the exit code is', async () => {
  const { code, stdout } = await forge(['proxy', '--help'], { environment: { COLUMNS: '120' } });
  assert.equal(code, 0);
  assert.match(stdout, /better in FORGE_PROXY_API_KEY: others can see a command line/);
  assert.match(stdout, /ends with 0/);
});
