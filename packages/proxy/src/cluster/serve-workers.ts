import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '@forge/core';
import { createLocalState, type LocalState } from '../local-state.ts';
import type { ProxyOptions } from '../options.ts';
import { freePort } from './free-port.ts';
import { KeptWorker } from './kept-worker.ts';

const defaultGrace = 10_000;
const mostWorkers = 256;

export interface ServeWorkersOptions {
  /** How many processes take requests. */
  readonly workers: number;
  /** Of each of them. `onEvent`, `onBug` and `onNotice` are told in this process, of all. */
  readonly options: ProxyOptions;
  /** The program of a worker. Default: the proxy's own. */
  readonly entry?: URL;
  /** Milliseconds requests under way get when it is closed. Default 10,000. */
  readonly grace?: number;
  /** Closes it. */
  readonly signal?: AbortSignal;
}

export interface ServedWorkers {
  readonly url: string;
  readonly port: number;
  /** What they share, which is in this process. */
  readonly state: LocalState;
  /** Takes no more requests, gives those under way their grace, and ends all workers. */
  close(options?: { grace?: number }): Promise<void>;
}

/**
 * One proxy over several processes that share a port. This process, the primary, holds what they
 * share and takes no requests. Resolves when all of them do; rejects if one cannot be started. One
 * that ends later is started again.
 *
 * @example
 * const proxy = await serveWorkers({ workers: 4, options: { backend: { url } } });
 */
export async function serveWorkers({
  workers,
  options,
  entry = ownEntry(),
  grace = defaultGrace,
  signal,
}: ServeWorkersOptions): Promise<ServedWorkers> {
  if (!Number.isInteger(workers) || workers < 1 || workers > mostWorkers) {
    const message = `"workers" is a whole number from 1 to ${mostWorkers}, not ${workers}.`;
    throw new ForgeError('invalid_options', message);
  }
  signal?.throwIfAborted();
  const { onEvent = () => {}, onBug = () => {}, onNotice = () => {}, now, ...rest } = options;
  const { host = '127.0.0.1', port = 8_081 } = rest;
  const told = { ...rest, host, port: port === 0 ? await freePort(host) : port };
  const kept: KeptWorker[] = [];
  const state = await createLocalState({
    ...options,
    now,
    inFlight: () => kept.reduce((sum, worker) => sum + worker.inFlight, 0),
    onNotice,
    onRule: (model, rule) => {
      for (const worker of kept) worker.send({ type: 'rule', model, rule });
    },
  });
  const start = () => ({
    type: 'start' as const,
    options: told,
    rules: state.lessons?.rules() ?? {},
    grace,
  });
  for (let at = 0; at < workers; at++) {
    kept.push(new KeptWorker({ fork: () => fork(entry), state, start, onEvent, onBug, onNotice }));
  }

  let closed: Promise<void> | undefined;
  const close = (time: number) => {
    closed ??= Promise.all(kept.map((worker) => worker.stop(time))).then(() => state.close());
    signal?.removeEventListener('abort', onAbort);
    return closed;
  };
  const onAbort = () => void close(grace);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const [first] = await Promise.all(kept.map((worker) => worker.listening));
    if (first === undefined) throw new ForgeError('invalid_options', 'There is no worker.');
    return { ...first, state, close: ({ grace: time = grace } = {}) => close(time) };
  } catch (error) {
    await close(0);
    if (signal?.aborted) {
      throw new ForgeError('cancelled', 'Stopped before all workers took requests.', {
        cause: signal.reason,
      });
    }
    throw error;
  }
}

/**
 * The worker's program runs as this one does: as TypeScript from the sources, as JavaScript from a
 * package. Flags of this process (a test runner's, say) are not for it; NODE_OPTIONS is.
 */
function fork(entry: URL) {
  cluster.setupPrimary({ exec: fileURLToPath(entry), execArgv: [], args: [] });
  return cluster.fork();
}

function ownEntry(): URL {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./worker.${ending}`, import.meta.url);
}
