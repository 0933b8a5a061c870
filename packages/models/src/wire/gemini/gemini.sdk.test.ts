import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, ThinkingLevel } from '@google/genai';
import { startWireServer } from '../shared/wire-server.test.ts';
import type { StreamEvent, WireReply } from '../wire.ts';
import { gemini } from './index.ts';

/** Google's own client against our encoders. */

let server: Awaited<ReturnType<typeof startWireServer>>;
let client: GoogleGenAI;

before(async () => {
  server = await startWireServer(gemini, (path) => {
    const [, model, method] = /models\/([^:]+):(\w+)/.exec(path) ?? [];
    return { ...(model !== undefined && { model }), stream: method === 'streamGenerateContent' };
  });
  client = new GoogleGenAI({
    apiKey: 'test',
    httpOptions: { baseUrl: server.url, retryOptions: { attempts: 1 } },
  });
});
after(() => server.stop());

const model = 'gemini-3-flash-preview';
const base: Pick<WireReply, 'id' | 'model' | 'extra'> = { id: 'r1', model, extra: {} };
const start: StreamEvent = { type: 'start', id: 'r1', model, extra: {} };

test('the client reads a plain reply and its counts', async () => {
  server.willAnswer({
    reply: {
      ...base,
      content: [
        { type: 'reasoning', text: 'Hm.', signature: 'c2ln' },
        { type: 'text', text: 'Hello.' },
      ],
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 5 },
    },
  });
  const reply = await client.models.generateContent({ model, contents: 'Hi' });
  assert.equal(reply.text, 'Hello.');
  assert.equal(reply.candidates?.[0]?.content?.parts?.[0]?.thought, true);
  assert.equal(reply.candidates?.[0]?.content?.parts?.[0]?.thoughtSignature, 'c2ln');
  assert.equal(reply.candidates?.[0]?.finishReason, 'STOP');
  assert.equal(reply.usageMetadata?.promptTokenCount, 10);
  assert.equal(reply.usageMetadata?.candidatesTokenCount, 2);
  assert.equal(reply.usageMetadata?.thoughtsTokenCount, 5);
  assert.equal(reply.usageMetadata?.cachedContentTokenCount, 4);
  assert.equal(reply.usageMetadata?.totalTokenCount, 17);
  assert.equal(reply.responseId, 'r1');
  assert.equal(reply.modelVersion, model);
});

test('what the client asks for is understood', async () => {
  server.willAnswer({ reply: { ...base, content: [], finish: 'stop' } });
  await client.models.generateContent({
    model,
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'c1', name: 'see', args: { deep: true } },
            thoughtSignature: 'c2ln',
          },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'see', response: { output: 'a cat' } } }],
      },
    ],
    config: {
      systemInstruction: 'Be brief.',
      temperature: 0.5,
      topK: 20,
      maxOutputTokens: 99,
      stopSequences: ['END'],
      thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'see',
              description: 'Looks.',
              parametersJsonSchema: { type: 'object', properties: { deep: { type: 'boolean' } } },
            },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: {
        functionCallingConfig: {
          mode: FunctionCallingConfigMode.ANY,
          allowedFunctionNames: ['see'],
        },
      },
      responseMimeType: 'application/json',
    },
  });
  assert.deepEqual(server.heard.at(-1), {
    model,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', mediaType: 'image/png', source: { data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_call',
            id: 'c1',
            name: 'see',
            args: { deep: true },
            provider: { gemini: { thoughtSignature: 'c2ln' } },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            callId: 'c1',
            name: 'see',
            content: [{ type: 'text', text: 'a cat' }],
          },
        ],
      },
    ],
    tools: [
      {
        name: 'see',
        description: 'Looks.',
        inputSchema: { type: 'object', properties: { deep: { type: 'boolean' } } },
      },
    ],
    toolChoice: { tool: 'see' },
    settings: { temperature: 0.5, topK: 20, maxTokens: 99, stop: ['END'] },
    responseFormat: { type: 'json' },
    reasoning: { effort: 'low' },
    stream: false,
    extra: { tools: [{ googleSearch: {} }] },
  });
});

test('the client reads parallel calls, the first with its signature', async () => {
  server.willAnswer({
    reply: {
      ...base,
      content: [
        {
          type: 'tool_call',
          id: 'c1',
          name: 'see',
          args: '{"at":1}',
          provider: { gemini: { thoughtSignature: 'c2ln' } },
        },
        { type: 'tool_call', id: 'c2', name: 'hear', args: {} },
      ],
      finish: 'tool_calls',
    },
  });
  const reply = await client.models.generateContent({ model, contents: 'Hi' });
  assert.deepEqual(reply.functionCalls, [
    { id: 'c1', name: 'see', args: { at: 1 } },
    { id: 'c2', name: 'hear', args: {} },
  ]);
  const parts = reply.candidates?.[0]?.content?.parts ?? [];
  assert.deepEqual(
    parts.map((part) => part.thoughtSignature),
    ['c2ln', undefined],
  );
});

test('the client hears streamed words, thoughts and the end', async () => {
  server.willAnswer({
    events: [
      start,
      { type: 'reasoning', text: 'Hm' },
      { type: 'signature', signature: 'c2ln' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo.' },
      { type: 'finish', finish: 'length', usage: { inputTokens: 3, outputTokens: 2 }, extra: {} },
    ],
  });
  const chat = client.chats.create({ model });
  const texts: string[] = [];
  let last: string | undefined;
  for await (const chunk of await chat.sendMessageStream({ message: 'Hi' })) {
    if (chunk.text) texts.push(chunk.text);
    last = chunk.candidates?.[0]?.finishReason ?? last;
  }
  assert.equal(server.heard.at(-1)?.stream, true);
  assert.deepEqual(texts, ['Hel', 'lo.']);
  assert.equal(last, 'MAX_TOKENS');
  const history = chat.getHistory(true).flatMap(({ parts }) => parts ?? []);
  assert.ok(history.some((part) => part.thoughtSignature === 'c2ln'));
});

test('the client hears streamed parallel calls in one chunk', async () => {
  server.willAnswer({
    events: [
      start,
      { type: 'text', text: 'Both.' },
      { type: 'call', index: 0, id: 'c1', name: 'see' },
      { type: 'args', index: 0, text: '{"at"' },
      { type: 'args', index: 0, text: ':1}' },
      { type: 'call', index: 1, id: 'c2', name: 'hear' },
      { type: 'args', index: 1, text: '{}' },
      { type: 'finish', finish: 'tool_calls', extra: {} },
    ],
  });
  const heard = [];
  const stream = await client.models.generateContentStream({ model, contents: 'Hi' });
  for await (const chunk of stream) if (chunk.functionCalls) heard.push(chunk.functionCalls);
  assert.deepEqual(heard, [
    [
      { id: 'c1', name: 'see', args: { at: 1 } },
      { id: 'c2', name: 'hear', args: {} },
    ],
  ]);
});

test('the client sees a refused prompt', async () => {
  const promptFeedback = { blockReason: 'SAFETY' };
  server.willAnswer({
    reply: { ...base, content: [], finish: 'content_filter', extra: { promptFeedback } },
  });
  const reply = await client.models.generateContent({ model, contents: 'Hi' });
  assert.equal(reply.promptFeedback?.blockReason, 'SAFETY');
  assert.equal(reply.text, undefined);
});

test('the client throws what the server could not do', async () => {
  server.willAnswer({ error: { kind: 'rate_limited', message: 'Slow down.', retryAfter: 2000 } });
  await assert.rejects(client.models.generateContent({ model, contents: 'Hi' }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 429);
    assert.match(error.message, /Slow down.*RESOURCE_EXHAUSTED.*"retryDelay":"2s"/);
    return true;
  });
});

test('the client throws an error in the middle of a stream', async () => {
  server.willAnswer({
    events: [
      start,
      { type: 'text', text: 'Hel' },
      { type: 'error', error: { kind: 'overloaded', message: 'Too much.' } },
    ],
  });
  const stream = await client.models.generateContentStream({ model, contents: 'Hi' });
  await assert.rejects(async () => {
    for await (const _ of stream);
  }, /503|Too much/);
});
