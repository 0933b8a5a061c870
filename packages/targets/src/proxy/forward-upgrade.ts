import { request as ask, type IncomingMessage, STATUS_CODES } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { messageOf } from '@forge/core';
import { endToEndHeaders, requestHeaders } from './forward-headers.ts';

/** Until the service says whether it wants to. */
const answerMs = 30_000;

/**
 * Passes on a request to become another protocol, such as WebSocket: after a yes, bytes go by in
 * both directions until either side ends; a no is passed back and the connection closed.
 */
export function forwardUpgrade({
  request,
  socket,
  head,
  port,
}: {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly port: number;
}): void {
  const { method = 'GET', url = '/' } = request;
  const headers = requestHeaders(request);
  headers.push('Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? '');
  const upstream = ask({
    ...{ host: '127.0.0.1', port, method, path: url, headers },
    agent: false,
  });
  const timer = setTimeout(() => upstream.destroy(new Error('took too long')), answerMs);
  socket.on('error', () => upstream.destroy());
  socket.once('close', () => upstream.destroy());
  upstream.once('close', () => clearTimeout(timer));
  upstream.once('upgrade', (answer, other, otherHead) => {
    clearTimeout(timer);
    const extra = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? ''];
    socket.write(headOf(answer, extra));
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    pipeline(socket, other, () => {});
    pipeline(other, socket, () => {});
  });
  upstream.once('response', (answer) => {
    clearTimeout(timer);
    socket.write(headOf(answer, ['Connection', 'close']));
    pipeline(answer, socket, () => socket.destroy());
  });
  upstream.once('error', (error) => {
    refuseConnection(socket, 502, messageOf(error));
  });
  upstream.end();
}

/** Says no, and lets go: the other side need not close. */
export function refuseConnection(socket: Duplex, status: 400 | 502 | 503, why: string): void {
  if (!socket.writable) return;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;
  socket.end(`${head}${why}\n`, () => socket.destroy());
}

function headOf(answer: IncomingMessage, extra: readonly string[]): string {
  const { statusCode = 502 } = answer;
  const headers = [...endToEndHeaders(answer), ...extra];
  const lines = [`HTTP/1.1 ${statusCode} ${answer.statusMessage || STATUS_CODES[statusCode]}`];
  for (let at = 0; at + 1 < headers.length; at += 2)
    lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
