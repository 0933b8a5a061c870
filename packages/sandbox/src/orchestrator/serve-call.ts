import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ForgeError, messageOf } from '@forge/core';
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
} from '@grpc/grpc-js';
import type { z } from 'zod';
import type { Caller } from './containers.ts';
import type { Log } from './log.ts';
import { StatusError, toStatus } from './status.ts';

/** What a call is given beside its request. The signal: the caller went away, or its time is over. */
export interface CallContext extends Caller {
  readonly signal: AbortSignal;
}

export interface CallOptions {
  authorise(call: { readonly metadata: Metadata; getPeer(): string }): Caller;
  readonly log: Log;
  /** Calls under way, so that a stop can wait for them or end them. */
  readonly open: Set<AbortController>;
}

interface AnyCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getPath(): string;
  readonly cancelled: boolean;
  on(event: 'cancelled', listener: () => void): unknown;
}

/** Wraps what a call does into what all calls do: who asks, cancellation, errors as status codes. */
export class CallServer {
  readonly #options: CallOptions;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  unary<Request>(
    schema: z.ZodType<Request>,
    work: (request: Request, context: CallContext) => Promise<object>,
  ): handleUnaryCall<unknown, object> {
    return (call, callback) => {
      void this.#conduct(call, {
        work: async (context) => callback(null, await work(schema.parse(call.request), context)),
        fail: (error) => callback(toStatus(error)),
      });
    };
  }

  /** What the work yields is sent, as fast as it is taken. */
  stream<Request>(
    schema: z.ZodType<Request>,
    work: (request: Request, context: CallContext) => AsyncIterable<object>,
  ): handleServerStreamingCall<unknown, object> {
    return (call) => {
      void this.#conduct(call, {
        work: async (context) => {
          await send(call, work(schema.parse(call.request), context), context.signal);
        },
        fail: (error) => void call.emit('error', toStatus(error)),
      });
    };
  }

  upload<Message>(
    schema: z.ZodType<Message>,
    work: (messages: AsyncIterable<Message>, context: CallContext) => Promise<object>,
  ): handleClientStreamingCall<unknown, object> {
    return (call, callback) => {
      void this.#conduct(call, {
        work: async (context) => callback(null, await work(parsed(call, schema), context)),
        fail: (error) => callback(toStatus(error)),
      });
    };
  }

  exchange<Message>(
    schema: z.ZodType<Message>,
    work: (messages: AsyncIterable<Message>, context: CallContext) => AsyncIterable<object>,
  ): handleBidiStreamingCall<unknown, object> {
    return (call) => {
      void this.#conduct(call, {
        work: async (context) => {
          await send(call, work(parsed(call, schema), context), context.signal);
        },
        fail: (error) => void call.emit('error', toStatus(error)),
      });
    };
  }

  async #conduct(
    call: AnyCall,
    how: { work(context: CallContext): Promise<void>; fail(error: unknown): void },
  ): Promise<void> {
    const { authorise, log, open } = this.#options;
    const controller = new AbortController();
    const { signal } = controller;
    let isDone = false;
    // It also comes when a connection ends long after the call did.
    call.on('cancelled', () => isDone || controller.abort());
    if (call.cancelled) controller.abort();
    open.add(controller);
    try {
      await how.work({ ...authorise(call), signal });
    } catch (error) {
      const failure = signal.aborted
        ? new ForgeError('cancelled', 'The call was ended before it was done.', { cause: error })
        : error;
      const isOurs = !ForgeError.is(failure) && !(failure instanceof StatusError);
      if (isOurs)
        log('error', 'call failed', { call: call.getPath(), problem: messageOf(failure) });
      how.fail(failure);
    } finally {
      isDone = true;
      open.delete(controller);
    }
  }
}

interface Sink {
  write(message: object): boolean;
  end(): void;
  once(event: 'drain', listener: () => void): unknown;
}

async function send(
  call: Sink & NodeJS.EventEmitter,
  messages: AsyncIterable<object>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) throw new ForgeError('cancelled', 'The caller went away.');
    if (!call.write(message)) await once(call, 'drain', { signal });
  }
  call.end();
}

/** Leaving early leaves the call standing: how it ended has still to be said over it. */
async function* parsed<Message>(
  source: Readable,
  schema: z.ZodType<Message>,
): AsyncGenerator<Message, void, void> {
  const messages: AsyncIterable<unknown> = source.iterator({ destroyOnReturn: false });
  for await (const message of messages) yield schema.parse(message);
}
