import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { isStreamed, streamedReply, wholeReply } from './replies.ts';
import { createRequestReader } from './request-reader.ts';
import { createTemplate, fillTemplate, type Template } from './serial.ts';
import { isReplyKind, replyKinds } from './workload.ts';

/**
 * The fake backend, a process of its own: prepared bytes over plain sockets, so that it is never
 * what a round waits for. A stream goes out one chunk a millisecond, each in a write of its own,
 * as a model would send it; faster, and a slow proxy would be flattered by chunks that run
 * together while it is busy.
 */
const chunkEvery = 1;

const whole = new Map<string, Template>();
const streamed = new Map<string, { head: Buffer; chunks: readonly Template[] }>();
for (const kind of replyKinds) {
  if (isStreamed(kind)) {
    const head = Buffer.from(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n' +
        'x-request-id: bench\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const count = streamedReply(kind, '').length;
    const chunks = Array.from({ length: count }, (_, at) =>
      createTemplate((serial) => httpChunk(`data: ${streamedReply(kind, serial)[at]}\n\n`)),
    );
    streamed.set(kind, { head, chunks });
  } else {
    whole.set(
      kind,
      createTemplate((serial) => httpReply(wholeReply(kind, serial))),
    );
  }
}
const other = Buffer.from(httpReply('{"object":"list","data":[{"id":"call","object":"model"}]}'));
const lastChunk = Buffer.from('0\r\n\r\n');

function httpReply(body: string): string {
  return (
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: bench\r\n' +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function httpChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

interface Stream {
  readonly socket: Socket;
  readonly chunks: readonly Template[];
  readonly serial: number;
  next: number;
}

let served = 0;
const streams = new Set<Stream>();
let ticker: NodeJS.Timeout | undefined;

function tick(): void {
  for (const stream of streams) sendNext(stream);
  if (streams.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}

function sendNext(stream: Stream): void {
  const chunk = stream.chunks[stream.next];
  if (chunk === undefined || stream.socket.destroyed) {
    stream.socket.write(lastChunk);
    streams.delete(stream);
    return;
  }
  stream.socket.write(fillTemplate(chunk, stream.serial));
  stream.next += 1;
}

function answer(socket: Socket, kind: string | undefined): void {
  served += 1;
  const template = kind === undefined ? undefined : whole.get(kind);
  if (template !== undefined) {
    socket.write(fillTemplate(template, served));
    return;
  }
  const reply = isReplyKind(kind) ? streamed.get(kind) : undefined;
  if (reply === undefined) {
    socket.write(other);
    return;
  }
  socket.write(reply.head);
  const stream = { socket, chunks: reply.chunks, serial: served, next: 0 };
  streams.add(stream);
  sendNext(stream);
  ticker ??= setInterval(tick, chunkEvery);
}

const server = createServer({ noDelay: true }, (socket) => {
  const reader = createRequestReader((kind) => answer(socket, kind));
  socket.on('data', (bytes) => reader.push(bytes));
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
process.on('disconnect', () => process.exit());
