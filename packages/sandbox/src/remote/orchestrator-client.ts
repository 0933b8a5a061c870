import { once } from 'node:events';
import { ForgeError } from '@forge/core';
import {
  type CallOptions,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type MethodDefinition,
} from '@grpc/grpc-js';
import type { z } from 'zod';
import { readAddress } from '../orchestrator/address.ts';
import { loadProto } from '../orchestrator/load-proto.ts';
import { fromStatus } from '../orchestrator/status.ts';

/** Where an orchestrator is, and how to be let in. */
export interface OrchestratorAddress {
  /** `sandboxes.example.org:7070`. */
  readonly address: string;
  readonly token?: string;
  /** Left out: no TLS. `{}` trusts the authorities this machine trusts. All in PEM. */
  readonly tls?: {
    readonly ca?: Uint8Array;
    readonly cert?: Uint8Array;
    readonly key?: Uint8Array;
  };
  /** Lets a token go over the network without TLS: for networks that are closed by other means. */
  readonly open?: boolean;
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** The calls of an orchestrator. Failed ones reject with a ForgeError, and none waits for ever. */
export class OrchestratorClient {
  readonly #client: Client;
  readonly #token: string | undefined;
  readonly #session: string;

  constructor(where: OrchestratorAddress, session: string) {
    const { isLoopback } = readAddress(where.address);
    if (where.token !== undefined && where.tls === undefined && !isLoopback && !where.open) {
      throw new ForgeError(
        'not_allowed',
        `The token for ${where.address} would cross the network in the clear. Use TLS.`,
      );
    }
    this.#token = where.token;
    this.#session = session;
    this.#client = new Client(where.address, credentialsOf(where.tls), {
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.min_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 2_000,
      'grpc.max_receive_message_length': 64 * 1024 * 1024,
      'grpc.max_send_message_length': 64 * 1024 * 1024,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_http_proxy': 0,
    });
  }

  async ask<Answer>(
    name: string,
    request: object,
    { schema, signal, timeoutMs }: AskOptions & { readonly schema: z.ZodType<Answer> },
  ): Promise<Answer> {
    const { path, requestSerialize, responseDeserialize } = methodOf(name);
    const options = optionsOf(timeoutMs);
    const answer = await new Promise<unknown>((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.#metadata(),
        options,
        (error, value) => {
          signal?.removeEventListener('abort', cancel);
          if (error === null) resolve(value);
          else reject(fromStatus(error));
        },
      );
      const cancel = () => call.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted) cancel();
    });
    return read(name, schema, answer);
  }

  /** For those that look at the stream themselves. Without a time: it goes on until it is ended. */
  open(name: string, request: object, timeoutMs?: number): ClientReadableStream<unknown> {
    const { path, requestSerialize, responseDeserialize } = methodOf(name);
    return this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      this.#metadata(),
      timeoutMs === undefined ? {} : optionsOf(timeoutMs),
    );
  }

  /** The messages of a stream. Leaving early ends the call. */
  async *read<Answer>(
    name: string,
    request: object,
    { schema, timeoutMs }: AskOptions & { readonly schema: z.ZodType<Answer> },
  ): AsyncGenerator<Answer, void, void> {
    const call = this.open(name, request, timeoutMs);
    try {
      for await (const message of call) yield read(name, schema, message);
    } catch (error) {
      throw fromStatus(error);
    } finally {
      call.cancel();
      call.on('error', () => {}); // That it was cancelled is no news.
    }
  }

  /** Sends messages at the pace they are taken. */
  async send(
    name: string,
    messages: AsyncIterable<object> | Iterable<object>,
    { timeoutMs }: AskOptions,
  ): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = methodOf(name);
    const done = Promise.withResolvers<void>();
    let isOver = false;
    const call = this.#client.makeClientStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      this.#metadata(),
      optionsOf(timeoutMs),
      (error) => {
        isOver = true;
        if (error === null) done.resolve();
        else done.reject(fromStatus(error));
      },
    );
    done.promise.catch(() => {}); // Awaited below, or told of by what went wrong first.
    const source = (async function* () {
      yield* messages;
    })();
    try {
      while (!isOver) {
        // Refused before all was sent: the answer says why, even where the source has stalled.
        const next = await Promise.race([source.next(), done.promise]);
        if (!next || next.done) break;
        if (!call.write(next.value)) await Promise.race([once(call, 'drain'), done.promise]);
      }
      call.end();
      await done.promise;
    } catch (error) {
      call.cancel();
      throw error;
    } finally {
      // Not waited for: it ends when what it reads from does.
      source.return(undefined).catch(() => {});
    }
  }

  close(): void {
    this.#client.close();
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    metadata.set('forge-session', this.#session);
    if (this.#token !== undefined) metadata.set('authorization', `Bearer ${this.#token}`);
    return metadata;
  }
}

/** What came, if it is what was to come. */
function read<Answer>(name: string, schema: z.ZodType<Answer>, message: unknown): Answer {
  const answer = schema.safeParse(message);
  if (answer.success) return answer.data;
  const text = `The orchestrator answered ${name} in a way this version does not know.`;
  throw new ForgeError('sandbox_failed', text, { cause: answer.error });
}

function methodOf(name: string): MethodDefinition<object, unknown> {
  const method = loadProto().orchestrator[name];
  if (method === undefined) throw new Error(`${name} is not in the .proto file`);
  return method;
}

function optionsOf(timeoutMs: number): CallOptions {
  return { deadline: Date.now() + timeoutMs };
}

function credentialsOf(tls: OrchestratorAddress['tls']) {
  if (tls === undefined) return credentials.createInsecure();
  const { ca, cert, key } = tls;
  const buffer = (pem: Uint8Array | undefined) => (pem === undefined ? null : Buffer.from(pem));
  return credentials.createSsl(buffer(ca), buffer(key), buffer(cert));
}
