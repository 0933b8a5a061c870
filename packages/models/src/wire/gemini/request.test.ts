import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, ToolCallPart, ToolResultPart } from '@forge/core';
import { ModelError } from '../model-error.ts';
import type { WireRequest } from '../wire.ts';
import { createGemini, gemini } from './index.ts';
import { unsignedCall } from './sign-first-call.ts';

const empty: WireRequest = {
  model: 'gemini-2.5-flash',
  messages: [],
  tools: [],
  toolChoice: 'auto',
  settings: {},
  stream: false,
  extra: {},
};

function contentsOf(messages: Message[], model = empty.model) {
  return gemini.encodeRequest({ ...empty, model, messages }).contents;
}

function call(id: string, fields: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool_call', id, name: 'get', args: { id }, ...fields };
}

function result(callId: string, text = 'ok'): ToolResultPart {
  return { type: 'tool_result', callId, name: 'get', content: [{ type: 'text', text }] };
}

test('puts the results of parallel calls in one content, in the calls’ order', () => {
  const contents = contentsOf([
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content: [call('a'), call('b')] },
    { role: 'tool', content: [result('b', 'B')] },
    { role: 'user', content: [{ type: 'text', text: 'meanwhile' }] },
    { role: 'tool', content: [result('a', 'A')] },
  ]);
  assert.deepEqual(contents, [
    { role: 'user', parts: [{ text: 'go' }] },
    {
      role: 'model',
      parts: [
        { functionCall: { id: 'a', name: 'get', args: { id: 'a' } } },
        { functionCall: { id: 'b', name: 'get', args: { id: 'b' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'get', response: { output: 'A' } } },
        { functionResponse: { id: 'b', name: 'get', response: { output: 'B' } } },
      ],
    },
    { role: 'user', parts: [{ text: 'meanwhile' }] },
  ]);
});

test('joins what the model said in several messages', () => {
  const contents = contentsOf([
    { role: 'assistant', content: [{ type: 'text', text: 'one' }] },
    { role: 'assistant', content: [call('a')] },
  ]);
  assert.deepEqual(contents, [
    {
      role: 'model',
      parts: [{ text: 'one' }, { functionCall: { id: 'a', name: 'get', args: { id: 'a' } } }],
    },
  ]);
});

test('answers a call that nobody answered, if the talk went on', () => {
  const asked: Message = { role: 'assistant', content: [call('a')] };
  const response = { error: 'No result of this call was recorded.' };
  assert.deepEqual(
    contentsOf([asked, { role: 'user', content: [{ type: 'text', text: 'well?' }] }]),
    [
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'get', args: { id: 'a' } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'get', response } }] },
      { role: 'user', parts: [{ text: 'well?' }] },
    ],
  );
});

test('gives a signature back on the very part it came on', () => {
  const body = {
    contents: [
      {
        role: 'model',
        parts: [
          { text: 'plan', thought: true, thoughtSignature: 'c2lnMA==' },
          { text: 'Looking.', thoughtSignature: 'c2lnMQ==' },
          { functionCall: { name: 'get', args: {} }, thoughtSignature: 'c2lnMg==' },
          { functionCall: { name: 'get', args: { b: 1 } } },
          { text: '', thoughtSignature: 'c2lnMw==' },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'get', response: { output: '1' } } },
          { functionResponse: { name: 'get', response: { rows: [1] } } },
        ],
      },
    ],
  };
  const request = gemini.decodeRequest(body, { model: 'gemini-3-pro-preview' });
  assert.deepEqual(gemini.encodeRequest(request), body);
});

test('signs the first call of a turn for models that want one, as Google says to', () => {
  const messages: Message[] = [{ role: 'assistant', content: [call('a'), call('b')] }];
  assert.deepEqual(contentsOf(messages, 'gemini-3-pro-preview'), [
    {
      role: 'model',
      parts: [
        {
          functionCall: { id: 'a', name: 'get', args: { id: 'a' } },
          thoughtSignature: unsignedCall,
        },
        { functionCall: { id: 'b', name: 'get', args: { id: 'b' } } },
      ],
    },
  ]);
});

test('names calls without ids, ties results to them and never sends those names', () => {
  const body = {
    contents: [
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'get' } },
          { functionCall: { name: 'put', args: { a: 1 } } },
        ],
      },
      {
        role: 'function',
        parts: [
          { functionResponse: { name: 'put', response: { output: 'put' } } },
          { functionResponse: { name: 'get', response: { output: 'got' } } },
        ],
      },
    ],
  };
  const request = gemini.decodeRequest(body);
  const [made, results] = request.messages;
  assert.deepEqual(
    made?.content.map((part) => part.type === 'tool_call' && part.id),
    ['get_0', 'put_1'],
  );
  assert.deepEqual(
    results?.content.map((part) => part.type === 'tool_result' && part.callId),
    ['put_1', 'get_0'],
  );
  assert.doesNotMatch(JSON.stringify(gemini.encodeRequest(request)), /"id"/);
});

test('keeps results and words that came in one content together', () => {
  const parts = [
    { functionResponse: { id: 'a', name: 'get', response: { error: 'gone' } } },
    { text: 'Try another.' },
  ];
  const contents = [
    { role: 'model', parts: [{ functionCall: { id: 'a', name: 'get', args: {} } }] },
    { role: 'user', parts },
  ];
  const request = gemini.decodeRequest({ contents });
  assert.deepEqual(
    request.messages.map(({ role }) => role),
    ['assistant', 'tool', 'user'],
  );
  const [gone] = request.messages[1]?.content ?? [];
  assert.equal(gone?.type === 'tool_result' && gone.isError, true);
  assert.deepEqual(gemini.encodeRequest(request), { contents });
});

test('sends images of results inside them to models that take that, else beside them', () => {
  const image = { type: 'image' as const, mediaType: 'image/png', source: { data: 'AAAA' } };
  const messages: Message[] = [
    {
      role: 'assistant',
      content: [call('a', { provider: { gemini: { thoughtSignature: 's' } } })],
    },
    { role: 'tool', content: [{ ...result('a'), content: [image] }] },
  ];
  const media = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  const response = { id: 'a', name: 'get', response: { output: '' } };
  const [, newer] = JSON.parse(JSON.stringify(contentsOf(messages, 'gemini-3-pro')));
  assert.deepEqual(newer, {
    role: 'user',
    parts: [{ functionResponse: { ...response, parts: [media] } }],
  });
  const [, older] = JSON.parse(JSON.stringify(contentsOf(messages)));
  assert.deepEqual(older, { role: 'user', parts: [{ functionResponse: response }, media] });
});

test('reads the snake_case and bare values of Google’s own examples', () => {
  const request = gemini.decodeRequest({
    system_instruction: { parts: { text: 'Be brief.' } },
    contents: {
      role: 'USER',
      parts: [{ text: 'Look' }, { inline_data: { mime_type: 'image/jpeg', data: '/9j/' } }],
    },
    tools: {
      function_declarations: [
        { name: 'get', parameters: { type: 'OBJECT', properties: { a_b: { type: 'STRING' } } } },
      ],
    },
    tool_config: { function_calling_config: { mode: 'any' } },
    generation_config: { max_output_tokens: '64', stop_sequences: 'END', top_k: 3 },
  });
  assert.deepEqual(request.messages, [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', mediaType: 'image/jpeg', source: { data: '/9j/' } },
      ],
    },
  ]);
  assert.deepEqual(request.tools[0]?.inputSchema, {
    type: 'object',
    properties: { a_b: { type: 'string' } },
  });
  assert.equal(request.toolChoice, 'required');
  assert.deepEqual(request.settings, { maxTokens: 64, stop: ['END'], topK: 3 });
});

test('takes null where a field could be absent', () => {
  const request = gemini.decodeRequest({
    contents: [{ role: null, parts: null }, { parts: [{ text: 'hi' }] }],
    tools: null,
    toolConfig: null,
    generationConfig: null,
    systemInstruction: null,
  });
  assert.deepEqual(request, {
    ...empty,
    model: '',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  });
});

test('sends back a tool’s schema in the form it came in', () => {
  const parameters = { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } };
  const tools = [
    {
      functionDeclarations: [
        { name: 'get', description: 'Gets.', parameters, behavior: 'BLOCKING' },
      ],
    },
    { codeExecution: {} },
  ];
  const request = gemini.decodeRequest({ contents: [], tools });
  assert.deepEqual(gemini.encodeRequest(request).tools, tools);
});

test('sends schemas in Gemini’s own form to servers that only take that', () => {
  const older = createGemini({ schemas: 'openapi' });
  const schema = {
    type: 'object',
    properties: { a: { type: ['string', 'null'] } },
    additionalProperties: false,
  };
  const body = older.encodeRequest({
    ...empty,
    tools: [
      { name: 'get', description: 'Gets.', inputSchema: schema },
      { name: 'now', description: 'Now.', inputSchema: { type: 'object', properties: {} } },
    ],
    responseFormat: { type: 'json_schema', schema },
  });
  const converted = { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } };
  assert.deepEqual(body.tools, [
    {
      functionDeclarations: [
        { name: 'get', description: 'Gets.', parameters: converted },
        { name: 'now', description: 'Now.' },
      ],
    },
  ]);
  assert.deepEqual(body.generationConfig, {
    responseMimeType: 'application/json',
    responseSchema: converted,
  });
});

test('keeps modes and lists of names it has no word for', () => {
  const tools = [
    {
      functionDeclarations: [
        { name: 'a', description: '' },
        { name: 'b', description: '' },
      ],
    },
  ];
  for (const functionCallingConfig of [
    { mode: 'VALIDATED' },
    { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
  ]) {
    const toolConfig = { functionCallingConfig, retrievalConfig: { languageCode: 'de' } };
    const request = gemini.decodeRequest({ contents: [], tools, toolConfig });
    assert.deepEqual(gemini.encodeRequest(request).toolConfig, toolConfig);
  }
});

test('says how to choose among tools only where there are some', () => {
  assert.equal(gemini.encodeRequest({ ...empty, toolChoice: 'required' }).toolConfig, undefined);
});

test('asks for thinking in the way the model takes', () => {
  const thinking = (model: string, reasoning: WireRequest['reasoning']) => {
    const { generationConfig } = gemini.encodeRequest({
      ...empty,
      model,
      ...(reasoning && { reasoning }),
    });
    return generationConfig;
  };
  const shown = { includeThoughts: true };
  assert.deepEqual(thinking('gemini-2.5-pro', { effort: 'medium' }), {
    thinkingConfig: { ...shown, thinkingBudget: 8192 },
  });
  assert.deepEqual(thinking('gemini-3-pro', { effort: 'medium', budgetTokens: 5 }), {
    thinkingConfig: { ...shown, thinkingLevel: 'MEDIUM' },
  });
  assert.deepEqual(thinking('gemini-2.5-pro', { effort: 'medium', budgetTokens: 5 }), {
    thinkingConfig: { ...shown, thinkingBudget: 5 },
  });
  assert.deepEqual(thinking('gemini-flash-latest', { effort: 'low' }), {
    thinkingConfig: { ...shown, thinkingLevel: 'LOW' },
  });
  assert.deepEqual(thinking('gemini-2.5-flash', { effort: 'none' }), {
    thinkingConfig: { thinkingBudget: 0 },
  });
});

test('does not ask for thoughts a client did not want to see', () => {
  const generationConfig = { thinkingConfig: { thinkingBudget: 100 } };
  const request = gemini.decodeRequest(
    { contents: [], generationConfig },
    { model: 'gemini-2.5-pro' },
  );
  assert.deepEqual(request.reasoning, { budgetTokens: 100 });
  assert.deepEqual(gemini.encodeRequest(request).generationConfig, {
    thinkingConfig: { includeThoughts: false, thinkingBudget: 100 },
  });
});

test('carries generation settings it has no word for', () => {
  const generationConfig = { candidateCount: 2, responseMimeType: 'text/x.enum', temperature: 1 };
  const request = gemini.decodeRequest({ contents: [], generationConfig, labels: { team: 'a' } });
  assert.deepEqual(gemini.encodeRequest(request), {
    contents: [],
    generationConfig,
    labels: { team: 'a' },
  });
});

test('leaves late system messages where they are', () => {
  const system = (text: string): Message => ({ role: 'system', content: [{ type: 'text', text }] });
  const body = gemini.encodeRequest({
    ...empty,
    messages: [
      system('one'),
      system('two'),
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      system('three'),
    ],
  });
  assert.deepEqual(body, {
    systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'user', parts: [{ text: 'three' }] },
    ],
  });
});

test('sends arguments as an object, whatever they were', () => {
  const args = (fields: Partial<ToolCallPart>) => {
    const [content] = JSON.parse(
      JSON.stringify(contentsOf([{ role: 'assistant', content: [call('a', fields)] }])),
    );
    return content.parts[0].functionCall.args;
  };
  assert.deepEqual(args({ args: '{"n":1}' }), { n: 1 });
  assert.deepEqual(args({ args: { n: 1 }, argsText: '{"n":2}' }), { n: 2 });
  assert.deepEqual(args({ args: 'not json' }), {});
  assert.deepEqual(args({ args: [1] }), {});
});

test('sends blocks of other wires nowhere', () => {
  const contents = contentsOf([
    {
      role: 'user',
      content: [
        { type: 'opaque', wire: 'ollama', value: {} },
        { type: 'text', text: 'hi' },
      ],
    },
  ]);
  assert.deepEqual(contents, [{ role: 'user', parts: [{ text: 'hi' }] }]);
});

test('says where a request is wrong', () => {
  for (const [body, told] of [
    [[], /JSON object/],
    [{ contents: [3] }, /contents\.0/],
    [{ contents: [{ role: 'robot' }] }, /"robot"/],
    [{ generationConfig: { temperature: 'hot' } }, /generationConfig\.temperature/],
    [{ systemInstruction: { parts: [{ inlineData: {} }] } }, /text parts only/],
  ] as const) {
    assert.throws(
      () => gemini.decodeRequest(body),
      (error) =>
        error instanceof ModelError && error.kind === 'bad_request' && told.test(error.message),
    );
  }
});

test('names the path after the base address', () => {
  assert.equal(
    gemini.path({ model: 'gemini-3-pro', stream: false }),
    '/models/gemini-3-pro:generateContent',
  );
  assert.equal(
    gemini.path({ model: 'tunedModels/mine', stream: true }),
    '/tunedModels/mine:streamGenerateContent?alt=sse',
  );
  assert.equal(
    gemini.path({ model: 'mine?key=x#y', stream: false }),
    '/models/mine%3Fkey=x%23y:generateContent',
  );
});
