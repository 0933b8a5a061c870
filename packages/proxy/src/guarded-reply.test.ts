import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ModelReply } from '@forge/core';
import { calls } from '@forge/core/testing';
import { startScriptedServer } from '@forge/models/testing';
import OpenAI from 'openai';
import { createProxy } from './create-proxy.ts';
import type { ProxyOptions } from './options.ts';
import type { ProxyEvent } from './proxy-event.ts';

const tool = (name: string, properties: object = {}, required: readonly string[] = []) => ({
  type: 'function' as const,
  function: { name, description: name, parameters: { type: 'object', properties, required } },
});
const tools = [
  tool('get_weather', { city: { type: 'string' }, days: { type: 'integer' } }, ['city']),
  tool('search', { query: { type: 'string' } }, ['query']),
  tool('finish'),
];
type Script = Parameters<typeof startScriptedServer>[0]['script'];

async function set(script: Script, options: Partial<ProxyOptions> = {}) {
  const server = await startScriptedServer({ wire: 'openai-chat', script });
  const events: ProxyEvent[] = [];
  const proxy = await createProxy({
    port: 0,
    onEvent: (event) => events.push(event),
    onBug: (error) => assert.fail(String(error)),
    ...options,
    backend: { ...options.backend, url: server.url },
  });
  after(async () => {
    await proxy.close();
    await server.close();
  });
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'none', maxRetries: 0 });
  type Asked = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;
  const base = { model: 'm', messages: [{ role: 'user' as const, content: 'Go.' }], tools };
  const ask = async (more: Asked = {}) => {
    const { data, response } = await client.chat.completions
      .create({ ...base, ...more })
      .withResponse();
    const message = data.choices[0]?.message;
    const called = message?.tool_calls?.map((call) =>
      call.type === 'function' ? `${call.function.name}${call.function.arguments}` : call.type,
    );
    return { text: message?.content, called, headers: response.headers, data };
  };
  return { ask, server, events, proxy, client, base };
}

const cut = (reply: ModelReply): ModelReply => ({ ...reply, finish: 'length' });

describe('a call that is nearly right is mended without asking again', () => {
  it('found in text, it becomes a native call and the text around it stays', async () => {
    const { ask, server, events } = await set([
      'I look. <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}</tool_call>',
    ]);
    const { text, called, headers, data } = await ask();
    assert.deepEqual([text, called], ['I look.', ['get_weather{"city":"Oslo"}']]);
    assert.equal(data.choices[0]?.finish_reason, 'tool_calls');
    assert.equal(headers.get('x-forge-outcome'), 'rescued');
    assert.equal(server.requests.length, 1);
    assert.equal(events[0]?.attempts[0]?.format, 'hermes');
  });

  it('with "3" for 3, it gets its number', async () => {
    const { ask } = await set([calls(['get_weather', { city: 'Oslo', days: '3' }])]);
    const { called, headers } = await ask();
    assert.deepEqual(called, ['get_weather{"city":"Oslo","days":3}']);
    assert.equal(headers.get('x-forge-outcome'), 'repaired');
  });

  it('but not with rescue off', async () => {
    const said = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>';
    const { ask } = await set([said], { guard: { switches: { rescue: false } } });
    assert.equal((await ask()).text, said);
  });
});

describe('a call that is wrong is asked for again', () => {
  it('with a nudge on the tool channel that the client never sees', async () => {
    const { ask, server, events } = await set([
      calls(['get_weather', { town: 'Oslo' }, 'bad']),
      calls(['get_weather', { city: 'Oslo' }, 'good']),
    ]);
    const { called, headers } = await ask();
    assert.deepEqual(called, ['get_weather{"city":"Oslo"}']);
    assert.equal(headers.get('x-forge-outcome'), 'retried');
    assert.equal(headers.get('x-forge-attempts'), '2');
    const nudge = server.requests[1]?.messages.at(-1);
    assert.ok(nudge?.role === 'tool');
    assert.equal(nudge.content[0]?.callId, 'bad');
    assert.match(JSON.stringify(nudge), /\[ToolArgValidationError\]/);
    assert.deepEqual(
      events[0]?.attempts.map(({ problems }) => problems),
      [['bad_arguments'], []],
    );
  });

  it('and when the retries run out the best reply goes out with a marker', async () => {
    const { ask, server } = await set(() => calls(['get_weather', { town: 1 }]), {
      guard: { maxRetries: 1, constrain: 'off' },
    });
    const { called, headers } = await ask();
    assert.deepEqual(called, ['get_weather{"town":1}']);
    assert.equal(headers.get('x-forge-outcome'), 'exhausted');
    assert.equal(headers.get('x-forge-reason'), 'bad_arguments');
    assert.equal(server.requests.length, 2);
  });

  it('and in words alone from a backend that does not know schemas', async () => {
    const { ask, server, events } = await set([
      'Sure!',
      { fault: { type: 'status', status: 400 } },
      calls(['search', { query: 'x' }]),
    ]);
    const { called } = await ask({ tool_choice: 'required' });
    assert.deepEqual(called, ['search{"query":"x"}']);
    assert.deepEqual(
      server.requests.map(({ responseFormat }) => responseFormat?.type),
      [undefined, 'json_schema', undefined],
    );
    assert.deepEqual(
      events[0]?.attempts.map(({ rung }) => rung),
      ['native', 'nudged'],
    );
  });

  it('and a backend that fails on the way loses the client nothing', async () => {
    const { ask } = await set([
      calls(['nope', { a: 1 }]),
      { fault: { type: 'status', status: 500 } },
    ]);
    const { called, headers } = await ask();
    assert.deepEqual(called, ['nope{"a":1}']);
    assert.equal(headers.get('x-forge-outcome'), 'exhausted');
    assert.equal(headers.get('x-forge-reason'), 'backend: unavailable');
  });
});

describe('a plain answer', () => {
  it('is an answer, for one generation', async () => {
    const { ask, server } = await set(['It will rain.']);
    assert.equal((await ask()).text, 'It will rain.');
    assert.equal(server.requests.length, 1);
  });

  it('cut by the client’s own limit goes out as it is', async () => {
    const { ask, server } = await set([
      cut({ content: [{ type: 'text', text: 'It' }], finish: 'length' }),
    ]);
    const { data } = await ask({ max_tokens: 1 });
    assert.equal(data.choices[0]?.finish_reason, 'length');
    assert.equal(server.requests.length, 1);
  });

  it('is asked for again where it is empty', async () => {
    const { ask } = await set(['', 'Now then.']);
    assert.equal((await ask()).text, 'Now then.');
  });
});

describe('the choice of tools is kept', () => {
  it('none: a call is not let through', async () => {
    const { ask } = await set([calls(['search', { query: 'x' }]), 'All right.']);
    assert.equal((await ask({ tool_choice: 'none' })).text, 'All right.');
  });

  it('required: words are not enough', async () => {
    const { ask } = await set(['Sure!', calls(['search', { query: 'x' }])]);
    assert.deepEqual((await ask({ tool_choice: 'required' })).called, ['search{"query":"x"}']);
  });

  it('one tool: no other will do', async () => {
    const { ask } = await set([
      calls(['search', { query: 'x' }]),
      calls(['get_weather', { city: 'Rom' }]),
    ]);
    const choice = { type: 'function' as const, function: { name: 'get_weather' } };
    assert.deepEqual((await ask({ tool_choice: choice })).called, ['get_weather{"city":"Rom"}']);
  });

  it('one call at a time: the first is kept, native or found in text', async () => {
    const both = calls(['search', { query: 'a' }], ['search', { query: 'b' }]);
    const inText = ['a', 'b']
      .map((query) => `<tool_call>{"name":"search","arguments":{"query":"${query}"}}</tool_call>`)
      .join('\n');
    const { ask } = await set([both, inText, both]);
    for (const _ of [1, 2]) {
      assert.deepEqual((await ask({ parallel_tool_calls: false })).called, ['search{"query":"a"}']);
    }
    assert.equal((await ask()).called?.length, 2);
  });
});

describe('what was done before counts', () => {
  const turn = (id: string): OpenAI.ChatCompletionMessageParam[] => [
    {
      role: 'assistant',
      tool_calls: [
        { id, type: 'function', function: { name: 'search', arguments: '{"query":"a"}' } },
      ],
    },
    { role: 'tool', tool_call_id: id, content: 'nothing' },
  ];
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'user', content: 'Go.' },
    ...turn('1'),
    ...turn('2'),
  ];

  it('the same call with the same result for the third time is a loop', async () => {
    const { ask, server, events } = await set([
      calls(['search', { query: 'a' }]),
      'I found nothing.',
    ]);
    assert.equal((await ask({ messages })).text, 'I found nothing.');
    assert.deepEqual(events[0]?.attempts[0]?.problems, ['loop']);
    assert.match(JSON.stringify(server.requests[1]?.messages.at(-1)), /\[Loop\]/);
  });

  it('steps of a rule have to be done first, by the history', async () => {
    const steps = [
      { tools: ['search', 'finish'], requiredSteps: ['search'], terminalTools: ['finish'] },
    ];
    const { ask } = await set(
      [calls(['finish', {}]), calls(['search', { query: 'a' }]), calls(['finish', {}])],
      { guard: { steps } },
    );
    assert.deepEqual((await ask()).called, ['search{"query":"a"}']);
    assert.deepEqual((await ask({ messages: messages.slice(0, 3) })).called, ['finish{}']);
  });
});

describe('structured output', () => {
  const response_format = {
    type: 'json_schema' as const,
    json_schema: {
      name: 'town',
      schema: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
    },
  };

  it('is checked, mended where that loses nothing, and asked for again where it would', async () => {
    const { ask, events } = await set([
      'Here: ```json\n{"town": "Rom"}\n```',
      '{"city": "Rom"}',
      '{"town": "Rom"}',
    ]);
    const first = await ask({ response_format, tools: [] });
    assert.deepEqual(JSON.parse(first.text ?? ''), { town: 'Rom' });
    assert.equal(first.headers.get('x-forge-outcome'), 'repaired');
    const second = await ask({ response_format });
    assert.equal(second.text, '{"town": "Rom"}');
    assert.deepEqual(events[1]?.attempts[0]?.problems, ['bad_format']);
  });
});

describe('a respond tool', () => {
  it('is offered to the model alone, and its call is a plain answer', async () => {
    const { ask, server } = await set([calls(['respond', { message: 'Hello.' }])], {
      guard: { respondTool: true },
    });
    const { text, called } = await ask();
    assert.deepEqual([text, called], ['Hello.', undefined]);
    assert.ok(server.requests[0]?.tools.some(({ name }) => name === 'respond'));
  });
});

describe('tools in the prompt', () => {
  it('reach a server that knows none, and the call comes back native', async () => {
    const { ask, server } = await set(
      ['<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>'],
      { backend: { url: '', tools: 'prompt' } },
    );
    assert.deepEqual((await ask()).called, ['search{"query":"x"}']);
    assert.deepEqual(server.requests[0]?.tools, []);
    assert.match(JSON.stringify(server.requests[0]?.messages[0]), /# Tools/);
  });
});
