import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  defineAgent,
  defineTool,
  ForgeError,
  type ModelDelta,
  type ModelRequest,
  run,
  userMessage,
} from '@forge/core';
import * as z from 'zod';
import { withConstrainedCalls } from '../policy/with-constrained-calls.ts';
import { ModelError } from '../wire/model-error.ts';
import type { StreamEvent } from '../wire/wire.ts';
import { createLocalModel } from './create-local-model.ts';
import { fakeEngine } from './fake-engine.test.ts';

const folder = mkdtempSync(join(tmpdir(), 'forge-local-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'm.gguf');
writeFileSync(path, 'GGUF');

const { signal } = new AbortController();
const hello: ModelRequest = { messages: [userMessage('Hi there')], tools: [], toolChoice: 'auto' };
const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

const says =
  (...pieces: string[]) =>
  async () => ({ pieces, stopReason: 'eogToken' });

test('speaks, tells it piece by piece, and counts tokens with the cached ones', async () => {
  const engine = fakeEngine(async () => ({
    pieces: [
      { type: 'segment', segmentType: 'thought', text: 'A greeting.', ended: true },
      'Good ',
      'day',
    ],
    stopReason: 'maxTokens',
  }));
  const model = createLocalModel(path, { load: async () => engine.module });
  const deltas: ModelDelta[] = [];
  const reply = await model.complete(hello, { signal, onDelta: (delta) => deltas.push(delta) });
  assert.deepEqual(reply, {
    content: [
      { type: 'reasoning', text: 'A greeting.' },
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'day' },
    ],
    finish: 'length',
    usage: { inputTokens: 2, outputTokens: 3, cachedInputTokens: 0 },
  });
  assert.deepEqual(
    deltas.map(({ type, text }) => [type, text]),
    [
      ['reasoning', 'A greeting.'],
      ['text', 'Good '],
      ['text', 'day'],
    ],
  );
  assert.equal(model.id, 'local:m.gguf');
  assert.equal(await model.contextLength({ signal }), 100);
  assert.equal(engine.loaded.length, 1);
});

test('passes settings on, those of the call above those of the model', async () => {
  const engine = fakeEngine(says('x'));
  const model = createLocalModel(path, {
    load: async () => engine.module,
    settings: { temperature: 0, seed: 1, stop: ['END'], presencePenalty: 1, maxTokens: 5_000 },
  });
  await model.complete(hello, { signal, overrides: { settings: { seed: 2, topK: 3 } } });
  const { signal: _, onResponseChunk: __, ...options } = engine.asked[0]?.options ?? {};
  assert.deepEqual(options, {
    temperature: 0,
    seed: 2,
    topK: 3,
    customStopTriggers: ['END'],
    repeatPenalty: { presencePenalty: 1 },
    maxTokens: 90,
  });
});

test('describes tools in the prompt, and shows earlier calls and results as text', async () => {
  const engine = fakeEngine(says('Rain.'), { contextSize: 2_000 });
  const model = createLocalModel(path, { load: async () => engine.module });
  await model.complete(
    {
      messages: [
        userMessage('Oslo?'),
        {
          role: 'assistant',
          content: [{ type: 'tool_call', id: 'c', name: 'get_weather', args: { city: 'Oslo' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool_result',
              callId: 'c',
              name: 'get_weather',
              content: [{ type: 'text', text: 'rain' }],
            },
          ],
        },
      ],
      tools: [weather],
      toolChoice: 'auto',
    },
    { signal },
  );
  const [system, user, call, result] = engine.asked[0]?.history ?? [];
  assert.ok(system?.type === 'system' && system.text.includes('## get_weather'));
  assert.deepEqual(user, { type: 'user', text: 'Oslo?' });
  assert.ok(call?.type === 'model' && String(call.response[0]).startsWith('<tool_call>'));
  assert.ok(result?.type === 'user' && result.text.includes('rain'));
});

test('runs an agent: the calls it writes as text are carried out', async () => {
  const lines = [
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    'Rain.',
  ];
  const engine = fakeEngine(
    async () => ({ pieces: [lines.shift() ?? ''], stopReason: 'eogToken' }),
    {
      contextSize: 2_000,
    },
  );
  const tool = defineTool({
    name: 'get_weather',
    description: 'Weather of a city',
    input: z.object({ city: z.string() }),
    run: ({ city }) => `${city}: rain`,
  });
  const agent = defineAgent({ name: 'weather', tools: [tool] });
  const model = createLocalModel(path, { load: async () => engine.module });
  const result = await run(agent, 'Oslo?', { model });
  assert.deepEqual([result.status, result.output?.text], ['completed', 'Rain.']);
});

test('a response format becomes a grammar, made once', async () => {
  const engine = fakeEngine(says('{"next":{"name":"get_weather","arguments":{"city":"Oslo"}}}'), {
    contextSize: 2_000,
  });
  const model = createLocalModel(path, { load: async () => engine.module });
  const forced = withConstrainedCalls(model, { policy: 'always', newCallId: () => 'c1' });
  const request: ModelRequest = { ...hello, tools: [weather], toolChoice: 'required' };
  for (let time = 0; time < 2; time++) {
    const { content } = await forced.complete(request, { signal });
    assert.deepEqual(content, [
      { type: 'tool_call', id: 'c1', name: 'get_weather', args: { city: 'Oslo' } },
    ]);
  }
  assert.equal(engine.grammars.length, 1);
  assert.deepEqual(engine.asked[1]?.options.grammar, { schema: engine.grammars[0] });
  await model.complete(hello, { signal, overrides: { responseFormat: { type: 'json' } } });
  assert.deepEqual(engine.asked[2]?.options.grammar, { type: 'json' });
});

test('streams events; leaving early stops the generation', async () => {
  const stopped: unknown[] = [];
  const engine = fakeEngine(async ({ signal, onResponseChunk }) => {
    onResponseChunk({ type: undefined, text: 'one ' });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    stopped.push(signal.reason);
    return { pieces: [], stopReason: 'abort' };
  });
  const model = createLocalModel(path, { load: async () => engine.module });
  const events: StreamEvent[] = [];
  for await (const event of model.stream(hello, { signal })) {
    events.push(event);
    if (event.type === 'text') break;
  }
  assert.deepEqual(
    events.map(({ type }) => type),
    ['start', 'text'],
  );
  assert.equal(stopped.length, 1);
});

test('a whole stream ends with how it finished', async () => {
  const engine = fakeEngine(says('a', 'b'));
  const model = createLocalModel(path, { load: async () => engine.module });
  const types: string[] = [];
  for await (const { type } of model.stream(hello, { signal })) types.push(type);
  assert.deepEqual(types, ['start', 'text', 'text', 'finish']);
});

test('calls take turns, and one that is aborted while it waits does not speak', async () => {
  const engine = fakeEngine(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { pieces: ['x'], stopReason: 'eogToken' };
  });
  const model = createLocalModel(path, { load: async () => engine.module });
  const impatient = new AbortController();
  const results = Promise.allSettled([
    model.complete(hello, { signal }),
    model.complete(hello, { signal: impatient.signal }),
    model.complete(hello, { signal }),
  ]);
  impatient.abort(new Error('no time'));
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual([engine.busiest, engine.asked.length, engine.loaded.length], [1, 2, 1]);
});

test('a prompt that does not fit is an overflow, and nothing is generated', async () => {
  const engine = fakeEngine(says('x'), { contextSize: 9 });
  const model = createLocalModel(path, { load: async () => engine.module });
  await assert.rejects(
    model.complete(hello, { signal }),
    (error) => error instanceof ModelError && error.kind === 'context_overflow',
  );
  assert.equal(engine.asked.length, 0);
});

test('images, a missing file and failures of the engine are told apart', async () => {
  const load = async () => fakeEngine(() => Promise.reject(new Error('out of memory'))).module;
  const image: ModelRequest = {
    ...hello,
    messages: [
      { role: 'user', content: [{ type: 'image', mediaType: 'image/png', source: { data: '' } }] },
    ],
  };
  const kindOf = async (file: string, request: ModelRequest) => {
    const error: unknown = await createLocalModel(file, { load })
      .complete(request, { signal })
      .catch((thrown: unknown) => thrown);
    return error instanceof ModelError ? error.kind : error;
  };
  assert.equal(await kindOf(path, image), 'bad_request');
  assert.equal(await kindOf('/nowhere.gguf', hello), 'not_found');
  assert.equal(await kindOf(path, hello), 'unavailable');
});

test('without the engine it says what to install, and works once it is there', async () => {
  const engine = fakeEngine(says('x'));
  let installed = false;
  const model = createLocalModel(path, {
    load: async () => {
      if (!installed) throw new Error('Cannot find package');
      return engine.module;
    },
  });
  await assert.rejects(
    model.complete(hello, { signal }),
    (error) =>
      ForgeError.is(error, 'invalid_options') && /npm install node-llama-cpp@3/.test(error.message),
  );
  installed = true;
  assert.equal((await model.complete(hello, { signal })).finish, 'stop');
  const old = createLocalModel(path, { load: async () => ({ LlamaModel: class {} }) });
  await assert.rejects(old.complete(hello, { signal }), /not version 3/);
});

test('the engine is not a dependency: without it, a model says so', async () => {
  await assert.rejects(createLocalModel(path).complete(hello, { signal }), (error) =>
    ForgeError.is(error, 'invalid_options'),
  );
});

test('disposing stops what is being said, frees the memory, and refuses further calls', async () => {
  const engine = fakeEngine(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return { pieces: [], stopReason: 'abort' };
  });
  const model = createLocalModel(path, { load: async () => engine.module });
  const speaking = model.complete(hello, { signal });
  speaking.catch(() => {});
  while (engine.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await model.dispose();
  await assert.rejects(speaking, /disposed of/);
  await assert.rejects(model.complete(hello, { signal }), /disposed of/);
  assert.equal(engine.disposed, 1);
});
