import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { defineAgent, defineTool, run, textOf } from '@forge/core';
import * as z from 'zod';
import { sendJson, startTestServer, textReply } from '../client/test-server.test.ts';
import type { ModelEvent } from '../policy/model-event.ts';
import { asking, assistant, call, refused, result } from '../policy/policy-requests.test.ts';
import { ollama } from '../wire/ollama/index.ts';
import { openaiChat } from '../wire/openai-chat/index.ts';
import type { Wire } from '../wire/wire.ts';
import { type CreateModelOptions, createModel } from './create-model.ts';
import { parseModelName } from './parse-model-name.ts';
import { type Scene, serveWire } from './serve-wire.test.ts';
import { wireOf } from './wire-of.ts';

const { signal } = new AbortController();

async function connect(
  t: TestContext,
  {
    provider,
    model = 'm',
    wire,
    scene,
    ...options
  }: {
    provider: string;
    model?: string;
    wire: Wire;
    scene: Scene;
  } & CreateModelOptions,
) {
  const server = await serveWire(t, wire, scene);
  const events: ModelEvent[] = [];
  const client = createModel(`${provider}:${server.url}#${model}`, {
    transport: server.transport,
    onEvent: (event) => events.push(event),
    retry: { sleep: async () => {}, random: () => 0 },
    readVariable: () => undefined,
    ...options,
  });
  return { client, server, events };
}

const noThinking = {
  error: { kind: 'bad_request', message: '"m" does not support thinking' },
} as const;
const noTools = { error: { kind: 'bad_request', message: 'm does not support tools' } } as const;

describe('a model that cannot think', () => {
  it('is asked again without, and so from then on', async (t) => {
    const { client, server, events } = await connect(t, {
      provider: 'ollama',
      wire: ollama,
      reasoning: { effort: 'high' },
      scene: ({ reasoning }) => (reasoning === undefined ? textReply('hi') : noThinking),
    });
    assert.equal(textOf(await client.complete(asking(), { signal })), 'hi');
    await client.complete(asking(), { signal });
    assert.deepEqual(
      server.decoded.map(({ reasoning }) => reasoning?.effort),
      ['high', undefined, undefined],
    );
    assert.deepEqual(
      events.map((event) => event.type === 'conceded' && event.concession),
      ['without-reasoning'],
    );
  });
});

describe('a model without native tools', () => {
  const agent = defineAgent({
    name: 'reporter',
    instructions: 'Report the weather.',
    tools: [
      defineTool({
        name: 'get_weather',
        description: 'Says what the weather is like.',
        input: z.object({ city: z.string() }),
        run: ({ city }) => `sunny in ${city}`,
      }),
    ],
  });
  const written =
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';

  /** Calls natively if it can, in text if it has to, then reports the result. */
  const scene =
    (native: boolean): Scene =>
    (request) => {
      if (request.tools.length > 0 && !native) return noTools;
      const told = JSON.stringify(request.messages);
      if (told.includes('sunny in Oslo')) return textReply('It is sunny in Oslo.');
      return native
        ? { ...textReply(''), content: [call('c1')], finish: 'tool_calls' }
        : textReply(written);
    };

  for (const [toolMode, native] of [
    ['native', true],
    ['auto', true],
    ['auto', false],
    ['prompt', false],
  ] as const) {
    it(`brings the same run: mode ${toolMode}, ${native ? 'with' : 'without'} native tools`, async (t) => {
      const { client, events } = await connect(t, {
        provider: 'llamacpp',
        wire: openaiChat,
        toolMode,
        scene: scene(native),
      });
      const finished = await run(agent, 'Weather in Oslo?', { model: client });
      assert.equal(finished.status, 'completed');
      assert.equal(finished.output?.text, 'It is sunny in Oslo.');
      const conceded = events.filter((event) => event.type === 'conceded');
      assert.equal(conceded.length, toolMode === 'auto' && !native ? 1 : 0);
    });
  }

  it('fails where native tools were insisted on', async (t) => {
    const { client } = await connect(t, {
      provider: 'llamacpp',
      wire: openaiChat,
      toolMode: 'native',
      scene: scene(false),
    });
    await assert.rejects(client.complete(asking(), { signal }), { kind: 'bad_request' });
  });
});

describe('a server that refuses earlier reasoning', () => {
  it('gets none from then on', async (t) => {
    const message = "messages.1: property 'reasoning' is unsupported";
    const { client, server } = await connect(t, {
      provider: 'groq',
      apiKey: 'key',
      wire: wireOf(parseModelName('groq:m').profile),
      scene: ({ messages }) =>
        JSON.stringify(messages).includes('hm')
          ? { error: { kind: 'bad_request', message } }
          : textReply('hi'),
    });
    const thought = assistant({ type: 'reasoning', text: 'hm' }, call());
    await client.complete(asking(thought, result('sunny')), { signal });
    assert.equal(server.decoded.length, 2);
  });
});

describe('settings', () => {
  it('are the advice of the model card where it is asked for, below one’s own', async (t) => {
    const { client, server } = await connect(t, {
      provider: 'llamacpp',
      model: 'gpt-oss:120b',
      wire: openaiChat,
      sampling: 'known',
      settings: { temperature: 0.2 },
      scene: () => textReply('hi'),
    });
    await client.complete(asking(), { signal });
    await client.complete(asking(), { signal, overrides: { settings: { topP: 0.5 } } });
    const [first, second] = server.decoded;
    assert.deepEqual(first?.settings, { temperature: 0.2, topP: 1, topK: 0, minP: 0 });
    assert.deepEqual(first?.extra.chat_template_kwargs, { reasoning_effort: 'medium' });
    assert.equal(second?.settings.topP, 0.5);
  });

  it('are refused without advice where it was insisted on', () => {
    assert.throws(() => createModel('ollama:home-made', { sampling: 'strict' }), {
      code: 'invalid_options',
    });
  });

  it('a server does not take are left out, and that is told once', async (t) => {
    const { client, server, events } = await connect(t, {
      provider: 'openai',
      apiKey: 'key',
      wire: openaiChat,
      settings: { topK: 20, seed: 1, maxTokens: 9 },
      scene: () => textReply('hi'),
    });
    await client.complete(asking(), { signal });
    await client.complete(asking(), { signal });
    assert.deepEqual(server.decoded[0]?.settings, { seed: 1, maxTokens: 9 });
    assert.equal(server.bodies[0]?.max_completion_tokens, 9);
    assert.deepEqual(
      events.map((event) => event.type === 'settings_dropped' && event.settings),
      [['topK']],
    );
  });
});

describe('the window of a model', () => {
  it('is asked from the root of the server', async (t) => {
    const server = await startTestServer(t, (response, request) =>
      request.url === '/props'
        ? sendJson(response, { default_generation_settings: { n_ctx: 12288 } })
        : sendJson(response, {}, 404),
    );
    const model = createModel(`llamacpp:${server.url}`, { transport: server.transport });
    assert.equal(await model.contextLength({ signal }), 12288);
    assert.equal(server.requests[0]?.method, 'GET');
  });

  it('is the listed one where the server cannot say, and unknown where there is none', async (t) => {
    const server = await startTestServer(t, (response) => sendJson(response, {}, 404));
    const options = { transport: server.transport, apiKey: 'k', baseUrl: server.url };
    const claude = createModel('anthropic:claude-sonnet-4-5', options);
    assert.equal(await claude.contextLength({ signal }), 200_000);
    assert.equal(await createModel('vllm:m', options).contextLength({ signal }), undefined);
  });

  it('is what one says, and Ollama is told', async (t) => {
    const { client, server } = await connect(t, {
      provider: 'ollama',
      wire: ollama,
      contextTokens: 32768,
      scene: () => textReply('hi'),
    });
    assert.equal(await client.contextLength({ signal }), 32768);
    await client.complete(asking(), { signal });
    assert.deepEqual(server.bodies[0]?.options, { num_ctx: 32768 });
  });
});

describe('the cost of a call', () => {
  it('is told where the price is known', async (t) => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const scene = () => ({ ...textReply('hi'), usage });
    const paid = { apiKey: 'key', wire: openaiChat, scene };
    const known = await connect(t, { provider: 'openai', model: 'gpt-5', ...paid });
    assert.equal((await known.client.complete(asking(), { signal })).cost, 1.25);
    const local = await connect(t, { provider: 'vllm', model: 'gpt-5', ...paid });
    assert.equal('cost' in (await local.client.complete(asking(), { signal })), false);
  });
});

describe('a busy server', () => {
  it('is asked again, and each time is told', async (t) => {
    let asked = 0;
    const { client, events } = await connect(t, {
      provider: 'openai',
      apiKey: 'key',
      wire: openaiChat,
      scene: (_, response) => {
        asked += 1;
        if (asked === 3) return textReply('at last');
        response.setHeader('retry-after', '2');
        return { error: { kind: 'rate_limited', message: 'Slow down.' } };
      },
    });
    assert.equal(textOf(await client.complete(asking(), { signal })), 'at last');
    assert.deepEqual(
      events.map((event) => event.type === 'retry' && [event.attempt, event.delay]),
      [
        [1, 2000],
        [2, 2000],
      ],
    );
  });
});

describe('constrained decoding', () => {
  const step = '{"next": {"name": "get_weather", "arguments": {"city": "Oslo"}}}';

  for (const provider of [
    'llamacpp',
    'ollama',
    'openai',
    'openai-responses',
    'gemini',
    'anthropic',
  ]) {
    it(`holds ${provider} to a schema once nudges did not help`, async (t) => {
      const wire = wireOf(parseModelName(`${provider}:m`).profile);
      const { client, server, events } = await connect(t, {
        provider,
        apiKey: 'key',
        wire,
        constrain: 'on-retry',
        scene: ({ responseFormat }) => textReply(responseFormat === undefined ? 'hm' : step),
      });
      assert.equal(textOf(await client.complete(asking(), { signal })), 'hm');
      const reply = await client.complete(asking(...refused, ...refused), { signal });
      const [part] = reply.content;
      assert.deepEqual(part?.type === 'tool_call' && part.args, { city: 'Oslo' });
      const format = server.decoded[1]?.responseFormat;
      assert.match(JSON.stringify(format), /get_weather/);
      assert.deepEqual(server.decoded[1]?.tools, []);
      assert.deepEqual(
        events.map((event) => event.type),
        ['constrained'],
      );
    });
  }

  it('is refused where the backend has none', () => {
    const options = { constrain: 'always', apiKey: 'k' } as const;
    assert.throws(() => createModel('deepseek:deepseek-chat', options), {
      code: 'invalid_options',
    });
  });
});

describe('the key', () => {
  it('that is missing is told before anything is sent', () => {
    assert.throws(() => createModel('anthropic:c', { readVariable: () => undefined }), {
      kind: 'auth',
      message: /ANTHROPIC_API_KEY/,
    });
  });

  it('that is refused is told with the variable to check', async (t) => {
    const { client } = await connect(t, {
      provider: 'openai',
      apiKey: 'wrong-key',
      wire: openaiChat,
      scene: () => ({ error: { kind: 'auth', message: 'Incorrect key.' } }),
    });
    await assert.rejects(client.complete(asking(), { signal }), {
      kind: 'auth',
      message: /Check OPENAI_API_KEY/,
    });
  });
});

describe('a model in this process', () => {
  it('is made from local: and a path, and loaded only when asked', () => {
    assert.equal(createModel('local:models/tiny.gguf').id, 'local:tiny.gguf');
    assert.throws(() => createModel('local:'), /local:models\/qwen3-8b.gguf/);
  });
});
