import type { Worker } from 'node:cluster';

/** One end of a line between the primary and a worker. What comes over it is not checked yet. */
export interface Port<Out> {
  /** Never throws. Resolves once the message is on its way, or the line is gone. */
  send(message: Out): Promise<void>;
  onMessage(listener: (message: unknown) => void): void;
}

/** The primary's end. */
export function portTo<Out extends object>(worker: Worker): Port<Out> {
  return {
    send: (message) =>
      new Promise((resolve) => {
        // A worker that is gone says so by its exit.
        if (!worker.isConnected()) return resolve();
        worker.send(message, () => resolve());
      }),
    onMessage(listener) {
      worker.on('message', (message: unknown) => listener(message));
    },
  };
}

/** The worker's end. */
export function portToPrimary<Out extends object>(): Port<Out> {
  return {
    send: (message) =>
      new Promise((resolve) => {
        // A primary that is gone says so by the end of the line.
        if (!process.connected || process.send === undefined) return resolve();
        process.send(message, undefined, undefined, () => resolve());
      }),
    onMessage(listener) {
      process.on('message', (message: unknown) => listener(message));
    },
  };
}
