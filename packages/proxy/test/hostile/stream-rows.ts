import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { callsIn, textIn } from './answer.ts';
import { answeredStream, called, calledStream, callOf, chunk, done, oslo } from './chat.ts';
import { raw, reset, stall, streamed, whole } from './odd-backend.ts';
import {
  asHtml,
  askedPlainStream,
  askedStream,
  breaks,
  callStream,
  calls,
  callsOslo,
  fails,
  html,
  okStream,
  refusal,
  spent,
} from './reply-row.ts';
import type { Row } from './row.ts';

/** What a backend may stream. */
export const streamRows: Readonly<Record<string, Row>> = {
  silence: { impatient: true, ...breaks(stall) },
  'silence in the middle': {
    impatient: true,
    ...breaks(raw(`${okStream}transfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n`, 'stall')),
  },
  'silence in the middle of an answer': {
    impatient: true,
    ...breaks(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(answeredStream.slice(0, 2).join(''));
    }),
  },
  'a reset before the head': breaks(reset),
  'a reset in the middle': breaks(
    raw(`${okStream}\r\n${answeredStream.slice(0, 3).join('')}`, 'reset'),
  ),
  'a close in the middle': breaks(
    raw(`${okStream}content-length: 9000\r\n\r\n${answeredStream.slice(0, 3).join('')}`),
  ),
  'a close in the middle, to who has no tools': breaks(
    raw(`${okStream}content-length: 9000\r\n\r\n${answeredStream.slice(0, 3).join('')}`),
    askedPlainStream,
  ),
  'an end in the middle': breaks(streamed(answeredStream.slice(0, 3))),
  'nothing at all': breaks(streamed([])),
  'only the end': spent(streamed([done])),
  'only usage': spent(streamed(['data: {"choices":[],"usage":{"total_tokens":3}}\n\n', done])),
  'an error in the middle': {
    ...breaks(streamed([...answeredStream.slice(0, 2), 'data: {"error":{"message":"Boom."}}\n\n'])),
    check: ({ error }) => assert.match(error?.message ?? '', /Boom\./),
  },
  'an error at once': breaks(streamed(['data: {"error":{"message":"Boom.","code":500}}\n\n'])),
  'an error with a status': {
    ...fails(
      429,
      whole(refusal('Slow down.'), { status: 429, headers: { 'retry-after': '7' } }),
      askedStream,
    ),
    check: ({ headers }) => assert.equal(headers['retry-after'], '7'),
  },
  'a page': breaks(whole(html, { headers: asHtml })),
  'frames of nonsense': breaks(streamed(['data: {nonsense\n\n', done])),
  'JSON where a stream was due': {
    send: askedStream,
    backend: whole(called),
    status: [200, 502],
    is: 'any',
    check: (answer) => {
      if (answer.status === 200) callsOslo(answer);
    },
  },
  'lines that end in CRLF': calls(
    streamed([calledStream.join('').replaceAll('\n', '\r\n')]),
    askedStream,
  ),
  'lines that end in CR': calls(
    streamed([calledStream.join('').replaceAll('\n', '\r')]),
    askedStream,
  ),
  'a byte order mark': calls(streamed(['\ufeff', ...calledStream]), askedStream),
  'comments, ids, names and empty lines': calls(
    streamed([
      ': OPENROUTER PROCESSING\n\n\n\n',
      'retry: 5\n\n',
      ...calledStream.map((frame) => `id: 1\n:x\n${frame}:y\n\n`),
    ]),
    askedStream,
  ),
  'no space after the colon': calls(
    streamed(calledStream.map((frame) => frame.replace('data: ', 'data:'))),
    askedStream,
  ),
  'one byte at a time': calls(
    streamed(Array.from(Buffer.from(calledStream.join('')), (byte) => Uint8Array.of(byte))),
    askedStream,
  ),
  'no end after the finish': calls(streamed(calledStream.slice(0, -1)), askedStream),
  'more after the end': calls(streamed([...calledStream, ...answeredStream]), askedStream),
  'gzip nobody asked for': calls(
    streamed([gzipSync(calledStream.join(''))], { 'content-encoding': 'gzip' }),
    askedStream,
  ),
  'a line of 10 MB': {
    send: askedStream,
    backend: streamed([
      chunk({ role: 'assistant', content: 'x'.repeat(10_000_000) }),
      chunk({}, 'stop'),
      done,
    ]),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(textIn(reply).length, 10_000_000),
  },
  'a line that never ends': {
    impatient: true,
    ...breaks(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${'x'.repeat(3_000_000)}`);
    }),
  },
  'bytes that are no UTF-8': {
    send: askedStream,
    backend: streamed([
      'data: {"choices":[{"index":0,"delta":{"content":"',
      Uint8Array.of(0xff, 0xe2, 0x82),
      '"}}]}\n\n',
      chunk({}, 'stop'),
      done,
    ]),
    status: 200,
    is: 'reply',
  },
  '20,000 braces': {
    send: askedStream,
    backend: streamed([
      ...Array.from({ length: 2_000 }, () => chunk({ content: '{'.repeat(10) })),
      chunk({}, 'stop'),
      done,
    ]),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(textIn(reply), '{'.repeat(20_000)),
  },
  'finished without a word': {
    send: askedStream,
    backend: streamed([chunk({ role: 'assistant' }), chunk({}, 'stop'), done]),
    status: 200,
    is: 'any',
  },
  'finished twice': calls(
    streamed([...calledStream.slice(0, -1), chunk({}, 'stop'), done]),
    askedStream,
  ),
  'a call without an id': calls(
    callStream({ index: 0, function: { name: 'weather', arguments: oslo } }),
    askedStream,
  ),
  'a call without an index': calls(callStream(callOf()), askedStream),
  'a call that begins at 7': calls(callStream({ index: 7, ...callOf() }), askedStream),
  'a call with an index of words': {
    send: askedStream,
    backend: callStream({ index: 'first', ...callOf() }),
    status: [200, 502],
    is: 'any',
  },
  'arguments that are an object': calls(
    callStream({ index: 0, ...callOf({ city: 'Oslo' }) }),
    askedStream,
  ),
  'arguments: null before the rest': calls(
    callStream({ index: 0, ...callOf(null) }, { index: 0, function: { arguments: oslo } }),
    askedStream,
  ),
  'a name in every piece': calls(
    callStream({ index: 0, ...callOf('{"city":') }, { index: 0, ...callOf('"Oslo"}') }),
    askedStream,
  ),
  'arguments for nobody': {
    send: askedStream,
    backend: callStream({ index: 0, function: { arguments: oslo } }),
    status: [200, 502],
    is: 'any',
  },
  'two calls with one id': {
    send: askedStream,
    backend: callStream({ index: 0, ...callOf() }, { index: 1, ...callOf('{"city":"Bergen"}') }),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(new Set(callsIn(reply).map(({ id }) => id)).size, 2),
  },
  'pieces of two calls mixed': {
    send: askedStream,
    backend: callStream(
      { index: 0, ...callOf('{"city"', 'weather', 'a') },
      { index: 1, ...callOf('{"city"', 'weather', 'b') },
      { index: 0, function: { arguments: ':"Oslo"}' } },
      { index: 1, function: { arguments: ':"Bergen"}' } },
    ),
    status: 200,
    is: 'reply',
    check: ({ reply }) =>
      assert.deepEqual(
        callsIn(reply).map(({ args }) => args),
        [{ city: 'Oslo' }, { city: 'Bergen' }],
      ),
  },
  'a bad call and then a good one': calls(
    [callStream({ index: 0, ...callOf(oslo, 'ghost') }), streamed(calledStream)],
    askedStream,
  ),
  'bad calls again and again': {
    send: askedStream,
    backend: callStream({ index: 0, ...callOf(oslo, 'ghost') }),
    status: 200,
    is: 'reply',
  },
  'a call in the text, to a client of Anthropic': {
    wire: 'anthropic-messages',
    send: {
      body: {
        model: 'm',
        max_tokens: 99,
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      },
    },
    backend: streamed([
      chunk({ content: '<tool_call>{"name": "weather", ' }),
      chunk({ content: '"arguments": {"city": "Oslo"}}</tool_call>' }),
      chunk({}, 'stop'),
      done,
    ]),
    status: 200,
    is: 'reply',
    check: callsOslo,
  },
  'a reset in the middle, to a client of Ollama': {
    wire: 'ollama',
    ...breaks(raw(`${okStream}\r\n${answeredStream.slice(0, 3).join('')}`, 'reset'), {
      body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    }),
  },
  'an error in the middle, to a client of Anthropic': {
    wire: 'anthropic-messages',
    ...breaks(
      streamed([...answeredStream.slice(0, 2), 'data: {"error":{"message":"Boom."}}\n\n']),
      {
        body: {
          model: 'm',
          max_tokens: 9,
          stream: true,
          messages: [{ role: 'user', content: 'hi' }],
        },
      },
    ),
  },
  'an end in the middle, to a client of Responses': {
    wire: 'openai-responses',
    ...breaks(streamed(answeredStream.slice(0, 3)), {
      body: { model: 'm', stream: true, input: 'hi' },
    }),
  },
  'a reset in the middle, to a client of Gemini': {
    wire: 'gemini',
    ...breaks(raw(`${okStream}\r\n${answeredStream.slice(0, 3).join('')}`, 'reset'), {
      target: '/v1beta/models/m:streamGenerateContent?alt=sse',
      body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    }),
  },
};
