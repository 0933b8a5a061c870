import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../harness/statistics.ts';
import type { LoadAnswer, LoadOrder, LoadResult } from './load-order.ts';
import { createReplyReader } from './reply-reader.ts';
import { createTemplate, fillTemplate, type Template } from './serial.ts';
import { requestBody, workloadNamed } from './workload.ts';

/**
 * The load generator, a process of its own. Each connection asks again as soon as it has its
 * answer. Bare sockets and prepared bytes: what it spends per request is small beside any proxy.
 */
interface Line {
  readonly socket: Socket;
  ask(): void;
}

let lines: Line[] = [];
let request: Template = { bytes: Buffer.alloc(0), places: [] };
let serial = 0;

/** How the present round goes; a new one each time. */
let round = newRound();
function newRound() {
  return { asked: 0, limit: 0, deadline: 0, busy: 0, times: [] as number[], first: [] as number[] };
}
let settle: (fault?: string) => void = () => {};

function openLine(port: number): Line {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let askedAt = 0;
  const line: Line = {
    socket,
    ask() {
      round.asked += 1;
      round.busy += 1;
      serial += 1;
      askedAt = performance.now();
      socket.write(fillTemplate(request, serial));
    },
  };
  const reader = createReplyReader({
    onBody: () => round.first.push(performance.now() - askedAt),
    onEnd() {
      const now = performance.now();
      round.times.push(now - askedAt);
      round.busy -= 1;
      if (now < round.deadline && round.asked < round.limit) line.ask();
      else if (round.busy === 0) settle();
    },
    onFault: (fault) => settle(fault),
  });
  socket.on('data', (bytes) => reader.push(bytes));
  socket.on('error', (error) => settle(error.message));
  socket.on('close', () => settle('the connection was closed'));
  return line;
}

async function open(order: Extract<LoadOrder, { type: 'open' }>): Promise<void> {
  const { port, connections, headers } = order;
  const workload = workloadNamed(order.workload);
  request = createTemplate((mark) => {
    const body = requestBody(workload, mark);
    const fields = {
      host: `127.0.0.1:${port}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'OpenAI/JS 7.53.0',
      authorization: 'Bearer sk-bench',
      'x-stainless-lang': 'js',
      'x-stainless-runtime': 'node',
      'x-stainless-retry-count': '0',
      ...headers,
      'content-length': Buffer.byteLength(body),
    };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}\r\n${body}`;
  });
  lines = Array.from({ length: connections }, () => openLine(port));
  await Promise.all(lines.map(({ socket }) => once(socket, 'connect')));
  // One request each, so that the proxy's own connections to the backend are there too.
  await run({ milliseconds: 0, requests: connections });
}

async function run(order: { milliseconds: number; requests: number }): Promise<LoadResult> {
  round = newRound();
  const start = performance.now();
  round.deadline = start + order.milliseconds;
  round.limit = order.requests;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  settle = (fault) => (fault === undefined ? resolve() : reject(new Error(fault)));
  for (const line of lines) line.ask();
  await promise;
  const seconds = (performance.now() - start) / 1000;
  const times = round.times.sort((a, b) => a - b);
  const first = round.first.sort((a, b) => a - b);
  return {
    requests: times.length,
    seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    firstByte: quantile(first, 0.5),
  };
}

function close(): void {
  settle = () => {};
  for (const { socket } of lines) socket.destroy();
  lines = [];
}

async function obey(order: LoadOrder): Promise<LoadAnswer> {
  switch (order.type) {
    case 'open':
      await open(order);
      return { type: 'opened' };
    case 'run':
      return { type: 'ran', result: await run(order) };
    case 'close':
      close();
      return { type: 'closed' };
    default:
      throw new Error(`unhandled order ${JSON.stringify(order satisfies never)}`);
  }
}

process.on('message', (order: LoadOrder) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ type: 'failed', fault: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ port: 0 });
