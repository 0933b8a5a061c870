import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { messageOf } from '@forge/core';
import { connectChecked, EgressRefused, type Resolve } from './connect-checked.ts';
import { parseHostRule } from './host-rules.ts';
import { Traffic } from './traffic.ts';

export interface EgressProxyOptions {
  /** As in `Network`: `example.org`, `*.example.org`, `host:8443`. */
  readonly hosts: readonly string[];
  /**
   * Where to listen: an address only the sandboxes can reach, the path of a unix socket, or a socket
   * that listens already, which is closed with the proxy.
   */
  readonly listen:
    | { readonly host: string; readonly port?: number }
    | { readonly path: string }
    | Server;
  /** Connections at once; more are refused. Default 64. */
  readonly connections?: number;
  /** Through all connections, both ways together; past it all are cut. Default 4 GB. */
  readonly bytes?: number;
  /** Milliseconds for a connection to be made. Default 15,000. */
  readonly connectMs?: number;
  /** Milliseconds of silence after which a connection ends. Default 120,000. */
  readonly silenceMs?: number;
  readonly resolve?: Resolve;
  /** Told of every host that was refused. */
  readonly onRefused?: (what: { readonly host: string; readonly why: string }) => void;
}

export interface EgressProxy {
  /** Undefined on a unix socket. */
  readonly port: number | undefined;
  /** What those behind it have received and sent so far. */
  traffic(): { readonly receivedBytes: number; readonly sentBytes: number };
  close(): Promise<void>;
}

/**
 * An HTTP proxy that lets through what a list of hosts allows: CONNECT for HTTPS, and plain HTTP. It
 * reads no content. It is a boundary only if those behind it can reach nothing else.
 */
export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const rules = options.hosts.map(parseHostRule);
  const { connections = 64, connectMs = 15_000, silenceMs = 120_000 } = options;
  const ending = new AbortController();
  const open = new Set<Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const traffic = new Traffic(options.bytes ?? 4 * 1024 ** 3, cut);

  const hold = (socket: Socket) => {
    open.add(socket);
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
  };

  /** Connections that are being made: a caller that leaves does not end them. */
  let reaching = 0;
  const reach = async (authority: string, usualPort: number, client: Socket): Promise<Socket> => {
    const [, host = '', portText] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? [];
    const port = portText === undefined ? usualPort : Number(portText);
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(connectMs)]);
    reaching += 1;
    try {
      if (traffic.isFull) throw new EgressRefused('All bytes that are allowed here are used up.');
      if (reaching > connections) throw new Error('Too many connections are being made at once.');
      const { resolve } = options;
      const socket = await connectChecked({ host, port, rules, resolve, signal });
      hold(socket);
      if (client.destroyed) {
        socket.destroy();
        throw new Error('The caller has left.');
      }
      traffic.watch(socket);
      return socket;
    } catch (error) {
      if (error instanceof EgressRefused) {
        options.onRefused?.({ host: authority.slice(0, 300), why: error.message });
      }
      throw error;
    } finally {
      reaching -= 1;
    }
  };

  const forward = async (incoming: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(incoming.url ?? '');
    if (url === null || url.protocol !== 'http:') {
      answer(response, 400, 'This is a proxy: ask for http://host/path, or CONNECT for https.');
      return;
    }
    const socket = await reach(url.host, 80, incoming.socket);
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = incoming.headers;
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'close' },
    });
    outgoing.once('response', (reply) => {
      try {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        pipeline(reply, response, () => socket.destroy());
      } catch (error) {
        // An answer that may be received need not be one that may be sent.
        socket.destroy();
        answer(response, 502, messageOf(error));
      }
    });
    outgoing.on('error', (error) => answer(response, 502, messageOf(error)));
    response.once('close', () => socket.destroy());
    pipeline(incoming, outgoing, () => {});
  };

  const server = createServer(
    { requestTimeout: 0, headersTimeout: connectMs },
    (incoming, response) => {
      forward(incoming, response).catch((error: unknown) => {
        answer(response, error instanceof EgressRefused ? 403 : 502, messageOf(error));
      });
    },
  );
  server.maxConnections = connections;
  server.on('connection', hold);
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    reach(incoming.url ?? '', 443, client)
      .then((socket) => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.write(head);
        pipeline(client, socket, client, () => {
          client.destroy();
          socket.destroy();
        });
      })
      .catch((error: unknown) => client.end(refusal(error)));
  });
  const { listen } = options;
  const place = 'path' in listen || listen instanceof Server ? listen : { port: 0, ...listen };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(place, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : undefined,
    traffic: () => traffic.total(),
    close: async () => {
      ending.abort();
      const closed = new Promise((done) => server.close(done));
      cut();
      await closed;
      if (listen instanceof Server) await new Promise((done) => listen.close(done));
    },
  };
}

function answer(response: ServerResponse, status: number, said: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(said);
}

function refusal(error: unknown): string {
  const status = error instanceof EgressRefused ? '403 Forbidden' : '502 Bad Gateway';
  const said = messageOf(error);
  const length = Buffer.byteLength(said);
  return `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${said}`;
}
