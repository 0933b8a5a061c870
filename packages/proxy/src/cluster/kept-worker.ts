import type { Worker } from 'node:cluster';
import { ForgeError } from '@forge/core';
import type { LocalState } from '../local-state.ts';
import type { ProxyEvent } from '../proxy-event.ts';
import { type FromPrimary, fromWorkerSchema } from './messages.ts';
import { type Port, portTo } from './port.ts';
import { WorkerDesk } from './worker-desk.ts';

const firstDelay = 100;
const longestDelay = 10_000;
/** A worker that takes requests for so long is sound: the next failure is a first one. */
const soundAfter = 30_000;
/** After its grace, until it is killed. */
const killAfter = 5_000;

export interface Listening {
  readonly url: string;
  readonly port: number;
}

export interface KeptWorkerOptions {
  readonly fork: () => Worker;
  readonly state: LocalState;
  /** What a worker is told first. */
  readonly start: () => Extract<FromPrimary, { type: 'start' }>;
  readonly onEvent: (event: ProxyEvent) => void;
  readonly onBug: (error: Error) => void;
  /** For a person: a worker ended and is started again. */
  readonly onNotice: (notice: string) => void;
}

/** One worker, started again whenever it ends, later each time in a row, until it is stopped. */
export class KeptWorker {
  readonly #options: KeptWorkerOptions;
  readonly #first = Promise.withResolvers<Listening>();
  readonly #gone = Promise.withResolvers<void>();
  #worker: Worker | undefined;
  #port: Port<FromPrimary> | undefined;
  #desk: WorkerDesk | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasListened = false;
  #isStopping = false;
  #failures = 0;

  constructor(options: KeptWorkerOptions) {
    this.#options = options;
    this.#start();
  }

  /** When it takes requests for the first time. Rejects if its first try fails: it will not work later. */
  get listening(): Promise<Listening> {
    return this.#first.promise;
  }

  get inFlight(): number {
    return this.#desk?.inFlight ?? 0;
  }

  send(message: FromPrimary): void {
    void this.#port?.send(message);
  }

  /** Resolves when the process is gone. */
  async stop(grace: number): Promise<void> {
    if (this.#isStopping) return this.#gone.promise;
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined) this.#gone.resolve();
    this.send({ type: 'stop', grace });
    const kill = setTimeout(() => worker?.process.kill('SIGKILL'), grace + killAfter);
    try {
      await this.#gone.promise;
    } finally {
      clearTimeout(kill);
    }
  }

  #start(): void {
    const { fork, state, onEvent, onBug, onNotice } = this.#options;
    const worker = fork();
    const port = portTo<FromPrimary>(worker);
    const desk = new WorkerDesk({ port, state, onEvent });
    this.#worker = worker;
    this.#port = port;
    this.#desk = desk;
    let why = '';
    port.onMessage((raw) => {
      const { data: message, error } = fromWorkerSchema.safeParse(raw);
      if (message === undefined) {
        onNotice(`A message of a worker makes no sense: ${error?.issues[0]?.message ?? ''}`);
      } else if (message.type === 'hello') this.send(this.#options.start());
      else if (message.type === 'listening') this.#listens(message);
      else if (message.type === 'failed') why = message.message;
      else if (message.type === 'bug') onBug(errorOf(message));
      else desk.serve(message);
    });
    worker.once('error', (error) => {
      why = error.message;
    });
    worker.once('exit', (code, signal) => {
      desk.end();
      this.#ended(why || (signal ? `it was ended by ${signal}` : `it ended with code ${code}`));
    });
  }

  #listens({ url, port }: Listening): void {
    this.#hasListened = true;
    this.#first.resolve({ url, port });
    this.#timer = setTimeout(() => {
      this.#failures = 0;
    }, soundAfter).unref();
  }

  #ended(why: string): void {
    clearTimeout(this.#timer);
    this.#worker = undefined;
    if (this.#isStopping || !this.#hasListened) {
      this.#first.reject(new ForgeError('invalid_options', `No worker could be started: ${why}`));
      this.#gone.resolve();
      return;
    }
    this.#failures += 1;
    const delay = Math.min(longestDelay, firstDelay * 2 ** (this.#failures - 1));
    this.#options.onNotice(`A worker is started again in ${delay} ms: ${why}.`);
    this.#timer = setTimeout(() => this.#start(), delay);
  }
}

/** With the stack of where it happened, not of here. */
function errorOf({ message, stack = message }: { message: string; stack?: string }): Error {
  const error = new Error(message);
  error.stack = stack;
  return error;
}
