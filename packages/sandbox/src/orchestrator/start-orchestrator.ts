import { ForgeError, messageOf } from '@forge/core';
import { type KeyCertPair, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ImageService } from '../images/image-service.ts';
import type { SandboxBackend } from '../sandbox.ts';
import { readAddress, writeHost } from './address.ts';
import { attachCall } from './attach-call.ts';
import { createAuthoriser, type Tokens } from './authorise.ts';
import { commandCalls } from './command-calls.ts';
import { containerCalls } from './container-calls.ts';
import { Containers } from './containers.ts';
import { fileCalls } from './file-calls.ts';
import { Health } from './health-calls.ts';
import { imageCalls } from './image-calls.ts';
import { loadProto } from './load-proto.ts';
import type { Log } from './log.ts';
import { defaultPolicy, type OrchestratorPolicy } from './policy.ts';
import { CallServer } from './serve-call.ts';

export interface OrchestratorOptions {
  /** What its containers are. The caller closes it, after the orchestrator. */
  readonly backend: SandboxBackend;
  /** Where to listen: `127.0.0.1:0` takes a free port. */
  readonly listen: string;
  readonly tls?: OrchestratorTls;
  /** Who may call: a token, or several by the names of their holders. */
  readonly token?: string | Tokens;
  readonly policy?: Partial<OrchestratorPolicy>;
  /** Builds and pushes images, and says whose they are. Without it those two calls are refused. */
  readonly images?: ImageService;
  /** Lets other machines in without TLS or token: for networks that are closed by other means. */
  readonly open?: boolean;
  readonly log?: Log;
  readonly now?: () => number;
}

/** In PEM. */
export interface OrchestratorTls {
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
  /** Callers have to show a certificate of this authority. */
  readonly clientCa?: Uint8Array;
}

export interface Orchestrator {
  /** With the port it got. */
  readonly address: string;
  /** Takes no more calls, gives those under way the grace (default 5 s), destroys all containers. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const sweepEveryMs = 1_000;

/**
 * Serves the containers of a backend over gRPC.
 *
 * @example
 * const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
 */
export async function startOrchestrator(options: OrchestratorOptions): Promise<Orchestrator> {
  const { backend, tls, images, log = () => {}, now = Date.now } = options;
  const address = readAddress(options.listen);
  const tokens = typeof options.token === 'string' ? { default: options.token } : options.token;
  checkTokens(tokens);
  const policy = { ...defaultPolicy, ...options.policy };
  if (!address.isLoopback && !options.open && (tls === undefined || tokens === undefined)) {
    throw new ForgeError(
      'not_allowed',
      `${address.host} can be reached from other machines: that takes TLS and a token. ` +
        'Give both, or listen on 127.0.0.1, or say that it is meant to be open.',
    );
  }

  const open = new Set<AbortController>();
  const stopping = new AbortController();
  const containers = new Containers({ backend, policy, log, now });
  const serve = new CallServer({ authorise: createAuthoriser(tokens), log, open });
  const health = new Health();
  const services = loadProto();
  const server = new Server({
    'grpc.max_receive_message_length': policy.messageBytes,
    'grpc.max_send_message_length': policy.messageBytes,
    'grpc.max_concurrent_streams': 1_000, // Of one connection.
    // A caller that vanished without a word is noticed.
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  server.addService(services.health, health.calls());
  server.addService(services.orchestrator, {
    ...containerCalls({ serve, containers, policy, backend, images }),
    ...commandCalls({ serve, containers }),
    ...fileCalls({ serve, containers, policy }),
    ...imageCalls({ serve, images, policy }),
    ...attachCall({ serve, containers, stopping: stopping.signal, now }),
  });
  const port = await bind(server, `${writeHost(address.host)}:${address.port}`, tls);

  const sweeper = setInterval(() => {
    containers.sweep().catch((error: unknown) => {
      log('error', 'sweep failed', { problem: messageOf(error) });
    });
  }, sweepEveryMs);
  let closed: Promise<void> | undefined;
  return {
    address: `${writeHost(address.host)}:${port}`,
    close({ graceMs = 5_000 } = {}) {
      closed ??= (async () => {
        clearInterval(sweeper);
        health.stop();
        stopping.abort();
        await shutDown(server, { graceMs, open, containers });
      })();
      return closed;
    },
  };
}

function checkTokens(tokens: Tokens | undefined): void {
  if (tokens !== undefined && Object.keys(tokens).length === 0) {
    throw new ForgeError('invalid_options', 'There is no token in the list of tokens.');
  }
  for (const [name, token] of Object.entries(tokens ?? {})) {
    if (token.length < 16) {
      throw new ForgeError(
        'invalid_options',
        `The token of "${name}" is shorter than 16 characters. Make one: openssl rand -hex 32`,
      );
    }
  }
}

async function bind(server: Server, address: string, tls: OrchestratorTls | undefined) {
  const credentials = tls === undefined ? ServerCredentials.createInsecure() : secure(tls);
  try {
    return await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, credentials, (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  } catch (error) {
    server.forceShutdown();
    const message = `The orchestrator cannot listen on ${address}: ${messageOf(error)}`;
    throw new ForgeError('sandbox_failed', message, { cause: error });
  }
}

function secure({ cert, key, clientCa }: OrchestratorTls): ServerCredentials {
  const pair: KeyCertPair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  const ca = clientCa === undefined ? null : Buffer.from(clientCa);
  return ServerCredentials.createSsl(ca, [pair], ca !== null);
}

/** Waits for the calls under way, then ends what is left of them. */
async function shutDown(
  server: Server,
  {
    graceMs,
    open,
    containers,
  }: { graceMs: number; open: ReadonlySet<AbortController>; containers: Containers },
): Promise<void> {
  const drained = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([drained, late]);
  } finally {
    clearTimeout(timer);
  }
  for (const controller of open) controller.abort();
  await containers.close();
  server.forceShutdown();
}
