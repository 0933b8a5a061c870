import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { callsIn, textIn } from './answer.ts';
import {
  answered,
  called,
  calledStream,
  callOf,
  chat,
  completion,
  oslo,
  toolWith,
} from './chat.ts';
import { raw, reset, stall, streamed, whole } from './odd-backend.ts';
import {
  asHtml,
  asked,
  askedPlain,
  call,
  calls,
  cut,
  exhausts,
  fails,
  html,
  json,
  ok,
  refusal,
} from './reply-row.ts';
import type { Row } from './row.ts';

/** What a backend may answer, whole. */
export const wholeReplyRows: Readonly<Record<string, Row>> = {
  silence: { impatient: true, ...fails(504, stall) },
  'silence after the head': {
    impatient: true,
    ...fails([502, 504], raw(`${ok}content-length: 100\r\n\r\n{`, 'stall')),
  },
  'a reset before the head': fails(502, reset),
  'a close before the head': fails(502, raw('')),
  'half a head': fails(502, raw('HTTP/1.1 200 O')),
  'half a body': fails(502, raw(`${ok}content-length: ${json.length}\r\n\r\n${json.slice(0, 90)}`)),
  'a reset in the body': fails(
    502,
    raw(`${ok}content-length: ${json.length}\r\n\r\n${json.slice(0, 90)}`, 'reset'),
  ),
  'less than it said': fails(502, raw(`${ok}content-length: ${json.length - 5}\r\n\r\n${json}`)),
  'what is not HTTP': fails(502, raw('SSH-2.0-OpenSSH_9.6\r\n')),
  'a head without end': fails(502, raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(300_000)}\r\n\r\n`)),
  'a broken chunk': fails(502, raw(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n${json}`)),
  'HTTP/1.0 to the end of the connection': calls(
    raw(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${json}`),
  ),
  'early hints first': calls(
    raw(
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}content-length: ${json.length}\r\n\r\n${json}`,
    ),
  ),
  'headers nobody may send': calls(
    raw(`${ok}x-odd: a\x80b\r\ncontent-length: ${json.length}\r\n\r\n${json}`),
  ),
  'a page with 200': fails(502, whole(html, { headers: asHtml })),
  'a page with 502': fails(502, whole(html, { status: 502, headers: asHtml })),
  'a page with 502 to who has no tools': fails(
    502,
    whole(html, { status: 502, headers: asHtml }),
    askedPlain,
  ),
  'nothing with 200': fails(502, whole('')),
  'no content': fails(502, ({ response }) => response.writeHead(204).end()),
  elsewhere: fails(
    [502, 404, 400],
    whole('', { status: 307, headers: { location: 'http://x.test/' } }),
  ),
  words: fails(502, whole('Internal error', { headers: { 'content-type': 'text/plain' } })),
  null: fails(502, whole('null')),
  'a list': fails(502, whole('[]')),
  'half a JSON text': fails(502, whole(json.slice(0, -10))),
  'an error with 200': fails([400, 500, 502], whole(refusal('Out of memory.'))),
  'no choices': fails(502, whole({ ...called, choices: [] })),
  'choices: null': fails(502, whole({ ...called, choices: null })),
  'usage alone': fails(502, whole({ usage: { total_tokens: 5 } })),
  'JSON that says it is text': calls(whole(json, { headers: { 'content-type': 'text/plain' } })),
  'JSON after a byte order mark': {
    send: asked,
    backend: whole(`\ufeff${json}`),
    status: [200, 502],
    is: 'any',
  },
  'JSON with room around it': calls(whole(`\r\n  ${json}\n\n`)),
  'gzip nobody asked for': calls(
    whole(gzipSync(json), { headers: { 'content-encoding': 'gzip' } }),
  ),
  'gzip that is none': fails(502, whole(json, { headers: { 'content-encoding': 'gzip' } })),
  'gzip nobody asked for, to who has no tools': {
    send: askedPlain,
    backend: whole(gzipSync(JSON.stringify(answered)), { headers: { 'content-encoding': 'gzip' } }),
    status: 200,
    is: 'any',
  },
  'a stream nobody asked for': {
    send: asked,
    backend: streamed(calledStream),
    status: [200, 502],
    is: 'any',
  },
  'more than is kept': {
    impatient: true,
    ...fails(502, whole(completion({ content: 'x'.repeat(2_000_000) }))),
  },
  '20,000 braces': {
    send: asked,
    backend: whole(completion({ content: '{'.repeat(20_000) })),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(textIn(reply), '{'.repeat(20_000)),
  },
  '200,000 openings of a call': {
    send: asked,
    backend: whole(
      completion({ content: '<tool_call>{"name":"weather","arguments":{'.repeat(5_000) }),
    ),
    status: 200,
    is: 'reply',
  },
  'bytes that are no UTF-8': {
    send: asked,
    backend: whole(Buffer.from(JSON.stringify(answered).replace('Fine.', '\xff\xe2'), 'latin1')),
    status: 200,
    is: 'any',
  },
  'a 429 that says how long': {
    ...fails(429, whole(refusal('Slow down.'), { status: 429, headers: { 'retry-after': '7' } })),
    check: ({ headers, error }) => {
      assert.equal(headers['retry-after'], '7');
      assert.match(error?.message ?? '', /Slow down\./);
    },
  },
  'a 429 that says how long, to who has no tools': {
    ...fails(
      429,
      whole(refusal('Slow down.'), { status: 429, headers: { 'retry-after': '7' } }),
      askedPlain,
    ),
    check: ({ headers }) => assert.equal(headers['retry-after'], '7'),
  },
  'half a body, to who has no tools': cut(
    raw(`${ok}content-length: ${json.length}\r\n\r\n${json.slice(0, 90)}`),
  ),
  'half a body in chunks, to who has no tools': cut(
    raw(`${ok}transfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n`),
  ),
  'half a page of the backend’s own': {
    ...cut(raw(`${ok}content-length: 50\r\n\r\n{"data":[`)),
    send: { method: 'GET', target: '/v1/models', headers: { 'content-length': null } },
  },
  'a 529': fails(529, whole(refusal('Busy.'), { status: 529 })),
  'a 401': fails(401, whole(refusal('Who are you?'), { status: 401 })),
  'a 422': fails(422, whole(refusal('Not like this.'), { status: 422 })),
  'a 500 with a trace': fails(500, whole('{"error":"boom"}', { status: 500 })),
  'a 500 to a client of Anthropic': {
    wire: 'anthropic-messages',
    ...fails(500, whole(html, { status: 500, headers: asHtml }), {
      body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
    }),
  },
  'a context that is too long': {
    ...fails(
      400,
      whole(
        { error: { code: 'context_length_exceeded', message: 'Too long.', type: 'x' } },
        { status: 400 },
      ),
    ),
    check: ({ error }) => assert.equal(error?.kind, 'context_overflow'),
  },
  'nothing said': exhausts(whole(completion({ content: '' }))),
  'content: null': exhausts(whole(completion({ content: null }))),
  'content that is a list': {
    send: asked,
    backend: whole(completion({ content: [{ type: 'text', text: 'Fine.' }] })),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(textIn(reply), 'Fine.'),
  },
  'a call without an id': calls(
    call([{ type: 'function', function: { name: 'weather', arguments: oslo } }]),
  ),
  'a call with an id of null': calls(call([callOf(oslo, 'weather', null)])),
  'arguments: null': exhausts(call([callOf(null)])),
  'arguments that are an object': calls(call([callOf({ city: 'Oslo' })])),
  'arguments in a string in a string': calls(call([callOf(JSON.stringify(oslo))])),
  'arguments cut off': {
    send: asked,
    backend: [call([callOf('{"city":"Os')]), whole(called)],
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(callsIn(reply).length, 1),
  },
  'arguments 100,000 deep': {
    send: asked,
    backend: call([callOf(`{"city":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)]),
    status: [200, 502],
    is: 'any',
  },
  'arguments with a name of the language': {
    send: { body: chat({ tools: [toolWith({ type: 'object' })] }) },
    backend: call([callOf('{"__proto__":{"x":1}}')]),
    status: 200,
    is: 'reply',
    check: ({ body }) => assert.ok(body.includes('__proto__')),
  },
  'a call of null': { send: asked, backend: call([null]), status: [200, 502], is: 'any' },
  'calls: an object': { send: asked, backend: call({}), status: [200, 502], is: 'any' },
  'a call of a tool there is none of': exhausts(call([callOf(oslo, 'ghost')])),
  'a call without a name': exhausts(call([callOf(oslo, null)])),
  'a good call after a bad one': calls([call([callOf(oslo, 'ghost')]), whole(called)]),
  'an error after a bad one': {
    ...fails([200, 429], whole('')),
    backend: [call([callOf(oslo, 'ghost')]), whole(refusal('Slow down.'), { status: 429 })],
    is: 'any',
  },
  'two calls with one id': {
    send: asked,
    backend: call([callOf(), callOf('{"city":"Bergen"}')]),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(new Set(callsIn(reply).map(({ id }) => id)).size, 2),
  },
  '1,000 calls': {
    send: asked,
    backend: call(
      Array.from({ length: 1_000 }, (_, at) => callOf(`{"city":"c${at}"}`, 'weather', `c${at}`)),
    ),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(callsIn(reply).length, 1_000),
  },
};
