import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { sleep as realSleep, type Sleep } from '../retry/sleep.ts';
import { wires } from '../wire/index.ts';
import type { Wire, WireRequest } from '../wire/wire.ts';
import { AbortCounter } from './server/abort-counter.ts';
import { deliver } from './server/deliver.ts';
import { respond, type Scene, type ScriptedExchange } from './server/respond.ts';
import type { Script } from './server/server-line.ts';
import { waitFor } from './server/wait-for.ts';

export interface ScriptedServerOptions {
  readonly wire: Wire | Wire['name'];
  readonly script: Script;
  /** The model it says it has. */
  readonly model?: string;
  /** The context window it says it has. */
  readonly contextLength?: number;
  /** For delays in milliseconds. */
  readonly sleep?: Sleep;
}

export interface ScriptedServer {
  /** Where it begins, without a version: `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The requests for a reply, in order, with path, headers and body as they came. */
  readonly exchanges: readonly ScriptedExchange[];
  /** Those that could be read. */
  readonly requests: readonly WireRequest[];
  /** How many clients left before they had their whole answer. */
  readonly aborted: number;
  readonly openSockets: number;
  /** Resolves once that many clients have left. */
  untilAborted(count?: number): Promise<void>;
  /**
   * Resolves when no socket is open any more. What is still being answered is dropped. Rejects
   * with the first failure of the server itself, such as a reply its wire could not encode.
   */
  close(): Promise<void>;
}

/**
 * A real server on loopback that speaks a wire and says what it was told to, one line per
 * request, whole or streamed as the request asks. It also answers the questions by which clients
 * find out about a model (`/props`, `/v1/models`, `/api/show`, `/api/version`, …).
 *
 * @example
 * const server = await startScriptedServer({ wire: 'ollama', script: ['Hello.'] });
 * const model = createModel(`ollama:${server.url}#any`);
 * await server.close();
 */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const { script, model = 'scripted', contextLength, sleep = realSleep } = options;
  const wire = typeof options.wire === 'string' ? wires[options.wire] : options.wire;
  const scene: Scene = { wire, script, model, contextLength, sleep, exchanges: [], turns: 0 };
  const sockets = new Set<Socket>();
  const aborts = new AbortCounter();
  let isClosing = false;
  let failure: { readonly error: unknown } | undefined;

  const server = createServer((incoming, response) => {
    const gone = new AbortController();
    let hangsUp = false;
    response.on('close', () => {
      gone.abort(new Error('The client left.'));
      if (!response.writableFinished && !hangsUp && !isClosing) aborts.add();
    });
    const onHangUp = () => {
      hangsUp = true;
    };
    serve(scene, incoming, response, { signal: gone.signal, onHangUp }).catch((error) => {
      const hasLeft = gone.signal.aborted || response.destroyed || isBrokenSocket(error);
      if (!hasLeft) failure ??= { error };
      response.destroy();
    });
  });
  // On a slow machine seconds pass between two requests: it lets no connection go by itself.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    exchanges: scene.exchanges,
    get requests() {
      return scene.exchanges.flatMap(({ request }) => request ?? []);
    },
    get aborted() {
      return aborts.count;
    },
    get openSockets() {
      return sockets.size;
    },
    untilAborted: (count = 1) => aborts.until(count),
    async close() {
      isClosing = true;
      const closed = Array.from(
        sockets,
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      );
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await Promise.all([stopped, ...closed]);
      if (failure !== undefined) throw failure.error;
    },
  };
}

async function serve(
  scene: Scene,
  incoming: IncomingMessage,
  response: ServerResponse,
  { signal, onHangUp }: { readonly signal: AbortSignal; readonly onHangUp: () => void },
) {
  const { method = 'GET', url: path = '/', headers } = incoming;
  const body = await readText(incoming);
  const staged = await respond(scene, { method, path, headers, body }, signal);
  const { chunkDelay, fault } = staged;
  const pause = (chunk: string) => waitFor(chunkDelay, { chunk, sleep: scene.sleep, signal });
  if (fault?.type === 'hang_up' || fault?.type === 'reset') onHangUp();
  await deliver(response, staged.response, { fault, pause, signal });
}

/** A client that leaves while something is written shows in the write before anywhere else. */
function isBrokenSocket(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(EPIPE|ECONN|ERR_STREAM|ERR_HTTP)/.test(code);
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
