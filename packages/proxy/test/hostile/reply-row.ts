import assert from 'node:assert/strict';
import { type Answer, callsIn } from './answer.ts';
import { called, chat, chunk, completion, done } from './chat.ts';
import { type Behaviour, streamed, whole } from './odd-backend.ts';
import type { Row } from './row.ts';

export const asked = { body: chat() };
export const askedStream = { body: chat({ stream: true }) };
export const askedPlain = { body: chat({ tools: undefined }) };
export const askedPlainStream = { body: chat({ tools: undefined, stream: true }) };

export function callsOslo({ reply }: Answer): void {
  const [call, ...rest] = callsIn(reply);
  assert.deepEqual(call?.args, { city: 'Oslo' });
  assert.ok(call?.id, 'it has an id');
  assert.equal(rest.length, 0);
}

export function calls(backend: Row['backend'], send: Row['send'] = asked): Row {
  return {
    send,
    ...(backend !== undefined && { backend }),
    status: 200,
    is: 'reply',
    check: callsOslo,
  };
}

export function fails(
  status: number | readonly number[],
  backend: Behaviour,
  send: Row['send'] = asked,
): Row {
  return { send, backend, status, is: 'error' };
}

/** The head was right, so only the stream can say that the rest is not. */
export function breaks(backend: Behaviour, send: Row['send'] = askedStream): Row {
  return { send, backend, status: [200, 500, 502, 504], is: 'error' };
}

/** Half of what passes by unseen is out when it ends: the client has to see that it is half. */
export function cut(backend: Behaviour): Row {
  return {
    send: askedPlain,
    backend,
    status: [200, 502],
    is: 'any',
    check: ({ status, isWhole, body }) =>
      assert.ok(status === 502 || !isWhole, `it looks whole: ${body}`),
  };
}

/** A refused reply that comes again and again: the client gets the best there was, and is told. */
export function exhausts(backend: Behaviour, send: Row['send'] = asked): Row {
  return {
    send,
    backend,
    status: 200,
    is: 'reply',
    check: ({ headers }) => assert.equal(headers['x-forge-outcome'], 'exhausted'),
  };
}

/** A stream of nothing, again and again: an error, or what there was and a mark on it. */
export function spent(backend: Behaviour): Row {
  return {
    send: askedStream,
    backend,
    status: [200, 502],
    is: 'any',
    check: ({ error, headers, body }) => {
      const isMarked = body.includes(': forge outcome=exhausted');
      assert.ok(error || isMarked || headers['x-forge-outcome'] === 'exhausted', String(body));
    },
  };
}

export function call(fields: unknown): Behaviour {
  return whole(completion({ content: null, tool_calls: fields }));
}

export function callStream(...pieces: readonly unknown[]): Behaviour {
  return streamed([
    chunk({ role: 'assistant' }),
    ...pieces.map((piece) => chunk({ tool_calls: [piece] })),
    chunk({}, 'tool_calls'),
    done,
  ]);
}

export const json = JSON.stringify(called);
export const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
export const okStream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
export const html = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';
export const asHtml = { 'content-type': 'text/html' };
export const refusal = (message: string) => ({ error: { message, type: 'x', code: null } });
