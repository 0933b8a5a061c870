import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

export interface WakeChannelOptions {
  /** A client that is not connected yet. */
  readonly createClient: () => pg.Client;
  readonly channel: string;
  /** Something was announced, or may have been while nobody listened. */
  readonly onAnnouncement: () => void;
  readonly onError: (error: unknown) => void;
  /** Milliseconds between attempts to connect. Default 500. */
  readonly retryEvery?: number;
}

/** Listens on a channel of PostgreSQL, again and again until the signal aborts. */
export async function listenOnChannel(
  options: WakeChannelOptions,
  signal: AbortSignal,
): Promise<void> {
  const { onError, retryEvery = 500 } = options;
  while (!signal.aborted) {
    try {
      await listenOnce(options, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    // An abort ends the pause; that is no error.
    await pause(retryEvery, undefined, { signal }).catch(() => {});
  }
}

async function listenOnce(options: WakeChannelOptions, signal: AbortSignal): Promise<void> {
  const { createClient, channel, onAnnouncement } = options;
  const client = createClient();
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  client.on('notification', onAnnouncement);
  client.on('error', ended.reject);
  client.on('end', end);
  ended.promise.catch(() => {}); // It may fail before anybody waits for it.
  signal.addEventListener('abort', end);
  try {
    await client.connect();
    await client.query(`LISTEN "${channel}"`);
    onAnnouncement();
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', end);
    await client.end().catch(() => {}); // It is gone already.
  }
}
