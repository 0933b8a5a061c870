import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { calls } from '@forge/core/testing';
import { GoogleGenAI } from '@google/genai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { type ServerLine, startScriptedServer } from '../src/testing/index.ts';
import { ModelError } from '../src/wire/model-error.ts';
import type { Wire } from '../src/wire/wire.ts';

/** What the providers' own clients make of the scripted server. */
const both = calls(
  ['get_forecast', { city: 'Oslo' }, 'call_1'],
  ['get_forecast', { city: 'Rome' }, 'call_2'],
);
const script: readonly ServerLine[] = ['It will rain.', both, 'It will rain.', both];
const cities = [{ city: 'Oslo' }, { city: 'Rome' }];
const unknown = new ModelError({ kind: 'not_found', message: 'There is no such model.' });

async function start(t: TestContext, wire: Wire['name'], lines: readonly ServerLine[]) {
  const server = await startScriptedServer({ wire, script: lines });
  t.after(() => server.close());
  return server.url;
}

describe('the openai client', () => {
  const messages = [{ role: 'user' as const, content: 'Will it rain?' }];
  const options = { apiKey: 'key', maxRetries: 0 };

  it('hears chat completions, whole and streamed', async (t) => {
    const url = await start(t, 'openai-chat', script);
    const { completions } = new OpenAI({ ...options, baseURL: `${url}/v1` }).chat;
    const said = await completions.create({ model: 'm', messages });
    assert.equal(said.choices[0]?.message.content, 'It will rain.');
    const called = (await completions.create({ model: 'm', messages })).choices[0]?.message;
    const args = called?.tool_calls?.map(
      (call) => 'function' in call && JSON.parse(call.function.arguments),
    );
    assert.deepEqual(args, cities);
    const text = await completions.stream({ model: 'm', messages }).finalContent();
    assert.equal(text, 'It will rain.');
    const streamed = await completions.stream({ model: 'm', messages }).finalMessage();
    assert.deepEqual(
      streamed.tool_calls?.map((call) => 'function' in call && JSON.parse(call.function.arguments)),
      cities,
    );
  });

  it('hears responses, whole and streamed', async (t) => {
    const url = await start(t, 'openai-responses', script);
    const { responses } = new OpenAI({ ...options, baseURL: `${url}/v1` });
    const body = { model: 'm', input: 'Will it rain?' };
    const argsOf = ({ output }: { output: readonly { type: string; arguments?: unknown }[] }) =>
      output
        .filter((item) => item.type === 'function_call')
        .map((item) => JSON.parse(String(item.arguments)));
    assert.equal((await responses.create(body)).output_text, 'It will rain.');
    assert.deepEqual(argsOf(await responses.create(body)), cities);
    assert.equal((await responses.stream(body).finalResponse()).output_text, 'It will rain.');
    assert.deepEqual(argsOf(await responses.stream(body).finalResponse()), cities);
  });

  it('raises the right error', async (t) => {
    const url = await start(t, 'openai-chat', [unknown]);
    const client = new OpenAI({ ...options, baseURL: `${url}/v1` });
    await assert.rejects(
      client.chat.completions.create({ model: 'm', messages }),
      OpenAI.NotFoundError,
    );
  });
});

describe('the anthropic client', () => {
  const body = {
    model: 'm',
    max_tokens: 99,
    messages: [{ role: 'user' as const, content: 'Rain?' }],
  };
  const inputs = ({ content }: Anthropic.Message) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []));
  const texts = ({ content }: Anthropic.Message) =>
    content.map((block) => (block.type === 'text' ? block.text : '')).join('');

  it('hears messages, whole and streamed', async (t) => {
    const baseURL = await start(t, 'anthropic-messages', script);
    const { messages } = new Anthropic({ apiKey: 'key', maxRetries: 0, baseURL });
    assert.equal(texts(await messages.create(body)), 'It will rain.');
    assert.deepEqual(inputs(await messages.create(body)), cities);
    assert.equal(texts(await messages.stream(body).finalMessage()), 'It will rain.');
    assert.deepEqual(inputs(await messages.stream(body).finalMessage()), cities);
  });

  it('raises the right error', async (t) => {
    const baseURL = await start(t, 'anthropic-messages', [unknown]);
    const { messages } = new Anthropic({ apiKey: 'key', maxRetries: 0, baseURL });
    await assert.rejects(messages.create(body), Anthropic.NotFoundError);
  });
});

describe('the google client', () => {
  const body = { model: 'm', contents: 'Will it rain?' };
  const connect = async (t: TestContext, lines: readonly ServerLine[]) => {
    const baseUrl = await start(t, 'gemini', lines);
    return new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl } }).models;
  };

  it('hears contents, whole and streamed', async (t) => {
    const models = await connect(t, script);
    assert.equal((await models.generateContent(body)).text, 'It will rain.');
    const { functionCalls } = await models.generateContent(body);
    assert.deepEqual(
      functionCalls?.map((call) => call.args),
      cities,
    );
    let text = '';
    for await (const chunk of await models.generateContentStream(body)) text += chunk.text ?? '';
    assert.equal(text, 'It will rain.');
    const args = [];
    for await (const chunk of await models.generateContentStream(body)) {
      args.push(...(chunk.functionCalls?.map((call) => call.args) ?? []));
    }
    assert.deepEqual(args, cities);
  });

  it('raises the right error', async (t) => {
    const models = await connect(t, [unknown]);
    await assert.rejects(models.generateContent(body), { name: 'ApiError', status: 404 });
  });
});

describe('the ollama client', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Will it rain?' }] };

  it('hears chats, whole and streamed', async (t) => {
    const client = new Ollama({ host: await start(t, 'ollama', script) });
    assert.equal((await client.chat(body)).message.content, 'It will rain.');
    const { message } = await client.chat(body);
    assert.deepEqual(
      message.tool_calls?.map((call) => call.function.arguments),
      cities,
    );
    let text = '';
    for await (const part of await client.chat({ ...body, stream: true }))
      text += part.message.content;
    assert.equal(text, 'It will rain.');
    const args = [];
    for await (const part of await client.chat({ ...body, stream: true })) {
      args.push(...(part.message.tool_calls?.map((call) => call.function.arguments) ?? []));
    }
    assert.deepEqual(args, cities);
  });

  it('raises the error', async (t) => {
    const client = new Ollama({ host: await start(t, 'ollama', [unknown]) });
    await assert.rejects(client.chat(body), { name: 'ResponseError', status_code: 404 });
  });
});
