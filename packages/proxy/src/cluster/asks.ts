import { ForgeError } from '@forge/core';
import { ModelError } from '@forge/models';
import type { FromPrimary, FromWorker, RefusalCode } from './messages.ts';
import type { Port } from './port.ts';

const mostAsks = 20_000;

interface Ask {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ForgeError) => void;
}

/** Questions of a worker to the primary, by the id of their answer. */
export class Asks {
  readonly #port: Port<FromWorker>;
  readonly #open = new Map<number, Ask>();
  #next = 0;
  #isLost = false;

  constructor(port: Port<FromWorker>) {
    this.#port = port;
  }

  /** An id nobody has. */
  newId(): number {
    return this.#next++;
  }

  /** Rejects with what the primary says against it, or when it is gone. */
  ask(message: Extract<FromWorker, { id: number }>): Promise<unknown> {
    if (this.#isLost) return Promise.reject(lostPrimary());
    if (this.#open.size >= mostAsks) return Promise.reject(errorOf('overloaded', tooMany));
    return new Promise((resolve, reject) => {
      this.#open.set(message.id, { resolve, reject });
      void this.#port.send(message);
    });
  }

  /** Stops waiting for an answer. One that comes all the same is nobody's. */
  drop(id: number, error: ForgeError): void {
    this.#open.get(id)?.reject(error);
    this.#open.delete(id);
  }

  settle(message: Extract<FromPrimary, { id: number }>): void {
    const ask = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.type === 'done') ask?.resolve(message.value);
    else ask?.reject(errorOf(message.code, message.message));
  }

  /** The primary is gone: nothing open will be answered, and nothing more is asked. */
  lose(): void {
    this.#isLost = true;
    for (const id of [...this.#open.keys()]) this.drop(id, lostPrimary());
  }
}

const tooMany = 'Too many requests wait in this worker. Try again soon.';

function lostPrimary(): ForgeError {
  return new ModelError({
    kind: 'unavailable',
    message: 'The main process of the proxy has ended, and this worker ends too. Start it again.',
    status: 503,
  });
}

function errorOf(code: RefusalCode, message: string): ForgeError {
  switch (code) {
    case 'cancelled':
    case 'slot_stopped':
      return new ForgeError(code, message);
    case 'overloaded':
      return new ModelError({ kind: 'overloaded', message, status: 503, retryAfter: 1_000 });
    case 'failed':
      return new ModelError({ kind: 'unavailable', message, status: 503 });
    default:
      return code satisfies never;
  }
}
