import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a backend does with one request, whose body has been read. */
export type Behaviour = (exchange: {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}) => void;

export interface OddBackend {
  readonly url: string;
  /** The requests that came, since the last `play`. */
  readonly bodies: readonly string[];
  /** From now on these, one per request; the last one again and again. */
  play(...behaviours: readonly Behaviour[]): void;
  /** Resolves when a request has come, since the last `play`. */
  untilAsked(): Promise<void>;
  /** Resolves when nobody waits for an answer any more. */
  untilIdle(): Promise<void>;
  close(): Promise<void>;
}

/** A server that misbehaves as it is told. */
export async function startOddBackend(usual: Behaviour): Promise<OddBackend> {
  let behaviours: readonly Behaviour[] = [usual];
  let bodies: string[] = [];
  const open = new Set<ServerResponse>();
  let onIdle: () => void = () => {};
  let onAsked: () => void = () => {};

  const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
    open.add(response);
    response.on('close', () => {
      open.delete(response);
      if (open.size === 0) onIdle();
    });
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const behave = behaviours[Math.min(bodies.length, behaviours.length - 1)] ?? usual;
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      onAsked();
      behave({ request, body, response });
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    get bodies() {
      return bodies;
    },
    play(...next) {
      bodies = [];
      behaviours = next.length === 0 ? [usual] : next;
    },
    async untilAsked() {
      if (bodies.length > 0) return;
      await new Promise<void>((resolve) => {
        onAsked = resolve;
      });
    },
    async untilIdle() {
      if (open.size === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A whole response. */
export function whole(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Behaviour {
  const bytes =
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return ({ response }) => {
    const length = String(Buffer.byteLength(bytes));
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': length,
      ...headers,
    });
    response.end(bytes);
  };
}

/** A streamed response of these pieces, ended as it should be. */
export function streamed(
  pieces: readonly (string | Uint8Array)[],
  headers: Record<string, string> = {},
): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
}

/** These bytes on the bare connection, and then its end. */
export function raw(
  bytes: string | Uint8Array,
  then: 'close' | 'reset' | 'stall' = 'close',
): Behaviour {
  return ({ response }) => {
    const { socket } = response;
    socket?.write(bytes, () => {
      if (then === 'close') socket.destroySoon();
      // Given time to arrive: a reset overtakes what has not been read.
      if (then === 'reset') setImmediate(() => socket.resetAndDestroy());
    });
  };
}

/** Says nothing until the other side gives up. */
export const stall: Behaviour = () => {};

export const reset: Behaviour = ({ response }) => response.socket?.resetAndDestroy();
