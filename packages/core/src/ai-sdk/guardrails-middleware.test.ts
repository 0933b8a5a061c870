import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { generateText, isStepCount, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import * as z from 'zod';
import { type GuardrailsMiddlewareOptions, guardrailsMiddleware } from './guardrails-middleware.ts';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

function reply(...content: LanguageModelV4Content[]): LanguageModelV4GenerateResult {
  const unified = content.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop';
  return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
}
const says = (text: string) => reply({ type: 'text', text });
const asks = (toolName: string, input: string, toolCallId = 'c1') =>
  reply({ type: 'tool-call', toolCallId, toolName, input });

const tools = {
  get_forecast: tool({
    description: 'Forecast',
    inputSchema: z.object({ city: z.string(), days: z.int() }),
    execute: ({ city, days }) => `${city}, ${days} days: rain`,
  }),
};

async function generate(
  replies: LanguageModelV4GenerateResult[],
  options: GuardrailsMiddlewareOptions = {},
) {
  const mock = new MockLanguageModelV4({ doGenerate: replies });
  const model = wrapLanguageModel({ model: mock, middleware: guardrailsMiddleware(options) });
  const result = await generateText({ model, tools, prompt: 'Weather?', stopWhen: isStepCount(4) });
  return { mock, result };
}

const hermes =
  '<tool_call>{"name": "get_forecast", "arguments": {"city": "Oslo", "days": "2"}}</tool_call>';

describe('guardrailsMiddleware with generateText', () => {
  it('turns a call written as text into a tool call the SDK runs', async () => {
    const { result } = await generate([says(hermes), says('Rain.')]);
    assert.deepEqual(
      result.steps[0]?.toolCalls.map((call) => call.input),
      [{ city: 'Oslo', days: 2 }],
    );
    assert.equal(result.steps[0]?.providerMetadata?.forge?.source, 'rescued');
    assert.equal(result.text, 'Rain.');
  });

  it('asks again with a nudge before the SDK sees a bad call, and adds up what it cost', async () => {
    const { mock, result } = await generate([
      asks('weather', '{}'),
      asks('get_forecast', '{"city": "Oslo", "days": 2}'),
      says('Rain.'),
    ]);
    assert.equal(mock.doGenerateCalls.length, 3);
    const retried = mock.doGenerateCalls[1]?.prompt;
    assert.equal(retried?.at(-1)?.role, 'tool');
    assert.match(JSON.stringify(retried?.at(-1)), /UnknownTool.*get_forecast/);
    assert.deepEqual(
      result.steps[0]?.toolCalls.map((call) => call.toolName),
      ['get_forecast'],
    );
    assert.equal(result.steps[0]?.usage.inputTokens, 20);
    assert.equal(result.steps[0]?.providerMetadata?.forge?.attempts, 2);
  });

  it('hands a clean reply on as it came', async () => {
    const clean = asks('get_forecast', '{ "city":"Oslo", "days":2 }');
    const { result } = await generate([clean, says('Rain.')]);
    assert.equal(result.steps[0]?.providerMetadata?.forge, undefined);
    assert.equal(result.text, 'Rain.');
  });

  it('holds back an answer until the required steps are done, reading them off the prompt', async () => {
    const { mock, result } = await generate(
      [says('It is sunny.'), asks('get_forecast', '{"city": "Oslo", "days": 1}'), says('Rain.')],
      { requiredSteps: ['get_forecast'] },
    );
    assert.equal(mock.doGenerateCalls.length, 3);
    assert.equal(result.steps.length, 2);
    assert.equal(result.text, 'Rain.');
  });

  it('hands on the last reply when the retries are spent', async () => {
    const { result } = await generate([says(''), says('')], { limits: { retries: 1 } });
    assert.deepEqual(result.steps[0]?.providerMetadata?.forge?.problems, [
      { attempt: 1, kind: 'empty_reply' },
      { attempt: 2, kind: 'retries_exhausted' },
    ]);
  });

  it('hands on a reply that is all the provider’s own: a file, a tool it ran itself', async () => {
    const file: LanguageModelV4Content = {
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'data', data: 'AAAA' },
    };
    const { mock, result } = await generate([reply(file)]);
    assert.equal(mock.doGenerateCalls.length, 1);
    assert.equal(result.files.length, 1);
  });

  it('lets through a call to a provider’s tool that the caller runs, and a choice of it', async () => {
    const call = asks('shell', '{"command": "ls"}');
    for (const toolChoice of [undefined, { type: 'tool', toolName: 'shell' } as const]) {
      const mock = new MockLanguageModelV4({ doGenerate: [call] });
      const model = wrapLanguageModel({ model: mock, middleware: guardrailsMiddleware() });
      const { content } = await model.doGenerate({
        prompt: [],
        toolChoice,
        tools: [
          { type: 'provider', id: 'mock.shell', name: 'shell', args: {} },
          { type: 'function', name: 'get_forecast', inputSchema: { type: 'object' } },
        ],
      });
      assert.deepEqual(content, call.content);
      assert.equal(mock.doGenerateCalls.length, 1);
    }
  });

  it('asks again for text where the request forbids calls', async () => {
    const mock = new MockLanguageModelV4({
      doGenerate: [asks('get_forecast', '{"city": "Oslo", "days": 2}'), says(hermes)],
    });
    const model = wrapLanguageModel({
      model: mock,
      middleware: guardrailsMiddleware({ requiredSteps: ['get_forecast'] }),
    });
    const result = await generateText({ model, tools, toolChoice: 'none', prompt: 'Weather?' });
    assert.equal(mock.doGenerateCalls.length, 2);
    assert.equal(result.text, hermes);
  });

  it('gives calls with one id an id each before the SDK pairs them with results', async () => {
    const call = (toolCallId: string, city: string): LanguageModelV4Content => ({
      type: 'tool-call',
      toolCallId,
      toolName: 'get_forecast',
      input: JSON.stringify({ city, days: 1 }),
    });
    const twice = reply(call('x', 'Oslo'), call('x', 'Rome'), call('', 'Bonn'));
    const { result } = await generate([twice, says('Rain.')]);
    const made = result.steps[0]?.toolCalls ?? [];
    assert.equal(new Set(made.map((one) => one.toolCallId)).size, 3);
    assert.deepEqual(
      result.steps[0]?.toolResults.map((one) => one.output),
      ['Oslo, 1 days: rain', 'Rome, 1 days: rain', 'Bonn, 1 days: rain'],
    );
  });

  it('adds up usage that providers leave open', async () => {
    const open = {
      inputTokens: {
        total: undefined,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    const { result } = await generate([{ ...says(''), usage: open }, says('Rain.')]);
    assert.equal(result.usage.inputTokens, 10);
    assert.equal(result.usage.outputTokens, 5);
  });

  it('leaves requests without tools alone', async () => {
    const mock = new MockLanguageModelV4({ doGenerate: [says(hermes)] });
    const model = wrapLanguageModel({ model: mock, middleware: guardrailsMiddleware() });
    const { text } = await generateText({ model, prompt: 'Say it.' });
    assert.equal(text, hermes);
  });
});

describe('guardrailsMiddleware with streamText', () => {
  const finish: LanguageModelV4StreamPart = {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage,
  };
  const written = (...deltas: string[]): LanguageModelV4StreamPart[] => [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...deltas.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
    { type: 'text-end', id: 't' },
    finish,
  ];

  async function stream(
    parts: LanguageModelV4StreamPart[],
    retries: LanguageModelV4GenerateResult[] = [],
  ) {
    const mock = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks: parts }) }),
      doGenerate: retries,
    });
    const model = wrapLanguageModel({ model: mock, middleware: guardrailsMiddleware() });
    const result = streamText({ model, tools, prompt: 'Weather?' });
    const text: string[] = [];
    for await (const delta of result.textStream) text.push(delta);
    return { text, calls: await result.toolCalls, metadata: await result.providerMetadata };
  }

  it('lets text flow piece by piece', async () => {
    const { text } = await stream(written('It ', 'will ', 'rain.'));
    assert.ok(text.length > 1, `${text.length} pieces`);
    assert.equal(text.join(''), 'It will rain.');
  });

  it('rescues a call from streamed text without leaking its markup', async () => {
    const { text, calls } = await stream(written('Let me look. ', ...hermes));
    assert.equal(text.join('').trim(), 'Let me look.');
    assert.deepEqual(
      calls.map((call) => call.input),
      [{ city: 'Oslo', days: 2 }],
    );
  });

  it('holds a native call until it is checked, and asks again for a bad one', async () => {
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-input-start', id: 'c', toolName: 'get_forecast' },
      { type: 'tool-input-delta', id: 'c', delta: '{"city":' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'get_forecast', input: '{"city": 1}' },
      finish,
    ];
    const good = asks('get_forecast', '{"city": "Oslo", "days": 3}', 'c2');
    const { calls, metadata } = await stream(parts, [good]);
    assert.deepEqual(
      calls.map((call) => [call.toolCallId, call.input]),
      [['c2', { city: 'Oslo', days: 3 }]],
    );
    assert.equal(metadata?.forge?.attempts, 2);
  });
});
