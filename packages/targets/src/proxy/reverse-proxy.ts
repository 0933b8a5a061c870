import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { hasBody } from './forward-headers.ts';
import { forwardRequest } from './forward-request.ts';
import { forwardUpgrade, refuseConnection } from './forward-upgrade.ts';

/** Where requests go now. */
export interface Backend {
  readonly name: string;
  readonly port: number;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A place it listens at, beside the one before. */
export interface Opened {
  readonly address: Address;
  /** Lets go of the one before. */
  leave(): void;
  /** Lets go of this one: the one before is it again. */
  undo(): Promise<void>;
}

interface Listening {
  readonly server: Server;
  readonly address: Address;
}

/** More at once are not accepted. */
const mostConnections = 10_000;

/**
 * Passes requests on to one of several versions of a service. Switching is one assignment: what came
 * before goes on where it is, what comes after goes to the new one. Nothing is kept in memory but
 * what is on its way, as slow as the slower side.
 */
export class ReverseProxy {
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  readonly #inFlight = new Map<number, number>();
  readonly #waiting = new Set<() => void>();
  #listening: Listening | undefined;
  #backend: Backend | undefined;
  #why = 'Nothing is deployed here.';

  /** Where it listens; undefined if it does not. */
  get address(): Address | undefined {
    return this.#listening?.address;
  }

  /**
   * Listens there as well; the place before is let go by `leave`, this one by `undo`. Port 0 takes a
   * free one. The same port on another host is moved: both at once may not be. Rejects as the system
   * says: EADDRINUSE, EACCES.
   */
  async listen(wanted: Address): Promise<Opened> {
    const before = this.#listening;
    const isMoved = before !== undefined && before.address.port === wanted.port;
    if (isMoved) close(before.server);
    const goBack = async () => {
      this.#listening = isMoved ? await this.#bind(before.address) : before;
    };
    let now: Listening;
    try {
      now = await this.#bind(wanted);
    } catch (error) {
      await goBack();
      throw error;
    }
    this.#listening = now;
    return {
      address: now.address,
      leave: () => {
        if (before !== undefined) close(before.server);
      },
      undo: async () => {
        close(now.server);
        await goBack();
      },
    };
  }

  async #bind({ host, port }: Address): Promise<Listening> {
    const server = createServer(
      {
        // Large uploads may take as long as they do; only the headers have to come soon.
        ...{ requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 65_000 },
        // One with a body is a request like any other: the wish may be ignored, the body may not.
        shouldUpgradeCallback: (request) => !hasBody(request),
      },
      (request, response) => this.#answer(request, response),
    );
    server.maxConnections = mostConnections;
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    server.on('clientError', (_, socket) => refuseConnection(socket, 400, 'This is not HTTP.'));
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    const bound = server.address();
    const isBound = typeof bound === 'object' && bound !== null;
    return { server, address: { host, port: isBound ? bound.port : port } };
  }

  switchTo(backend: Backend): void {
    this.#backend = backend;
  }

  /** Nobody answers for now; `why` is what clients are told. */
  down(why: string): void {
    this.#backend = undefined;
    this.#why = why;
  }

  /** Resolves when nothing is on its way to that port any more, or the time is over. */
  async drained(port: number, ms: number): Promise<boolean> {
    if (!this.#inFlight.has(port)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    const look = () => {
      if (!this.#inFlight.has(port)) resolve(true);
    };
    this.#waiting.add(look);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  async close(): Promise<void> {
    const { server } = this.#listening ?? {};
    this.#listening = undefined;
    this.#agent.destroy();
    server?.close();
    server?.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const backend = this.#backend;
    if (backend === undefined) {
      refuse(response, 503, this.#why);
      return;
    }
    const done = this.#count(backend.port);
    response.once('close', done);
    forwardRequest({
      request,
      response,
      port: backend.port,
      agent: this.#agent,
      failed: (status, why) => refuse(response, status, `The release ${backend.name} ${why}.`),
    });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const backend = this.#backend;
    socket.on('error', () => {}); // One that has no listener for it would end this process.
    if (backend === undefined) {
      refuseConnection(socket, 503, this.#why);
      return;
    }
    const done = this.#count(backend.port);
    socket.once('close', done);
    forwardUpgrade({ request, socket, head, port: backend.port });
  }

  #count(port: number): () => void {
    this.#inFlight.set(port, (this.#inFlight.get(port) ?? 0) + 1);
    return () => {
      const left = (this.#inFlight.get(port) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(port, left);
      else this.#inFlight.delete(port);
      for (const look of this.#waiting) look();
    };
  }
}

/** What is on its way goes on. */
function close(server: Server): void {
  server.close();
  server.closeIdleConnections();
}

function refuse(response: ServerResponse, status: 502 | 503 | 504, why: string): void {
  if (response.headersSent) {
    response.destroy(); // A cut answer must look cut.
    return;
  }
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' };
  response.writeHead(status, STATUS_CODES[status], headers).end(`${why}\n`);
}
