import { Agent, type Dispatcher } from 'undici';

/** What opens connections, keeps them for the next request and bounds their number. */
export type Transport = Dispatcher;

export interface TransportOptions {
  /** Milliseconds to get a connection. */
  readonly connectTimeout?: number;
  /** The most connections to one origin at a time; further requests wait for one. */
  readonly connections?: number;
  /** Milliseconds an idle connection is kept, unless the server says less. */
  readonly keepAlive?: number;
}

export const defaultConnectTimeout = 10_000;

/**
 * Idle connections do not keep the process alive, so a transport needs no closing at the end of
 * a program; a test closes it with `close()`.
 *
 * HTTP/1.1 on purpose: aborting a request closes its socket, which is what stops a local server
 * from generating on. The timeouts of the library are off; the client has its own.
 */
export function createTransport({
  connectTimeout = defaultConnectTimeout,
  connections = 128,
  keepAlive = 10_000,
}: TransportOptions = {}): Transport {
  return new Agent({
    allowH2: false,
    connect: { timeout: connectTimeout },
    connections,
    keepAliveTimeout: keepAlive,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
}

let shared: Transport | undefined;

/** The one transport of all clients that were given none, so that they share connections. */
export function sharedTransport(): Transport {
  shared ??= createTransport();
  return shared;
}
