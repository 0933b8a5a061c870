import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Middle } from './middle.ts';
import { streamedReply, wholeReply } from './replies.ts';
import { blankSerial } from './serial.ts';
import { requestBody, type Workload } from './workload.ts';

/** Asks once for each workload and sees that the answer says what the backend said. */
export async function probe(middle: Middle, workload: Workload): Promise<void> {
  const sent = request({
    host: '127.0.0.1',
    port: middle.port,
    path: '/v1/chat/completions',
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer sk-bench',
      ...middle.headers,
    },
  });
  sent.end(requestBody(workload, blankSerial));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const body = response === undefined ? '' : await text(response);
  const status = response?.statusCode;
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  assert.deepEqual(saidIn(body, workload), expected(workload));
}

function expected({ reply }: Workload): unknown[] {
  switch (reply) {
    case 'call':
    case 'text':
      return essence(wholeReply(reply, blankSerial));
    case 'stream-text':
    case 'stream-call':
      return merge(streamedReply(reply, blankSerial).slice(0, -1).flatMap(essence));
    default:
      throw new Error(`unhandled reply ${reply satisfies never}`);
  }
}

function saidIn(body: string, { stream }: Workload): unknown[] {
  if (!stream) return essence(body);
  const events = body.split('\n').filter((line) => line.startsWith('data:'));
  return merge(
    events
      .map((line) => line.slice(5).trim())
      .filter((data) => data !== '[DONE]')
      .flatMap(essence),
  );
}

/** What is said and called, without the serial numbers. */
function essence(json: string): string[] {
  const found: string[] = [];
  JSON.parse(json, (key, value: unknown) => {
    if (typeof value === 'string' && ['content', 'name', 'arguments'].includes(key)) {
      found.push(`${key}:${value.replace(/\d{10}/g, '')}`);
    }
    return value;
  });
  return found;
}

/** Pieces of one kind that follow each other are one: how a stream is cut is not what it says. */
function merge(pieces: readonly string[]): string[] {
  const merged: string[] = [];
  for (const piece of pieces) {
    const [kind = '', ...rest] = piece.split(':');
    const last = merged.at(-1);
    if (last?.startsWith(`${kind}:`)) merged[merged.length - 1] = last + rest.join(':');
    else merged.push(piece);
  }
  return merged;
}
