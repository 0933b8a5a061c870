import { join } from 'node:path';
import { ForgeError } from '@forge/core';
import { readEnvironment } from '../config.ts';
import { sleep as realSleep, type Sleep } from '../retry/sleep.ts';
import type { BackendKind, BackendOptions } from './backend-options.ts';
import { type BackendState, backendsFolder, logFile, readState } from './backend-state.ts';
import { findBinary } from './find-binary.ts';
import { freePort } from './free-port.ts';
import { kinds } from './kinds.ts';
import { type Launch, planLaunch } from './plan-launch.ts';
import { probe } from './probe.ts';
import { isRunning } from './process-identity.ts';
import { startKeeper, toJob } from './start-keeper.ts';
import { startLock } from './start-lock.ts';
import { endBackend } from './stop-backend.ts';
import { didNotStart, untilReady } from './until-ready.ts';

export interface Backend {
  readonly id: string;
  readonly kind: BackendKind;
  /** Without a path: `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  /** For `createModel`; Ollama wants a model's name added. */
  readonly modelName: string;
  /** As the server told it. For budgets. */
  readonly contextLength?: number;
  /** It was running already. */
  readonly reused: boolean;
  readonly logFile: string;
  /** Ends it with its children, for everyone who uses it. */
  stop(): Promise<void>;
}

const pollEvery = 50;

/**
 * A model server on this machine, ready to be used. One that was started in the same way before
 * and still answers is used again, whichever process started it. It has a keeper, a small process
 * that writes its log and starts it again when it dies; both go on when this process ends, until
 * `stop()` or `stopBackend`. Rejects with the end of the server's log when it does not start.
 *
 * @example
 * const backend = await startBackend({ kind: 'llamaserver', model: 'qwen3-8b-q4_k_m.gguf' });
 * const model = createModel(backend.modelName);
 */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  if (process.platform === 'win32') {
    throw new ForgeError(
      'invalid_options',
      'Backends are started on Linux and macOS only. Start the server yourself and give createModel its address.',
    );
  }
  const { readVariable = readEnvironment, sleep = realSleep } = options;
  const signal = options.signal ?? new AbortController().signal;
  const binary = await findBinary({ ...options, searchPath: readVariable('PATH') });
  const launch = planLaunch(options, binary);
  const folder = join(backendsFolder(options), launch.id);
  const release = await startLock(folder, { signal, sleep });
  try {
    const found = readState(folder);
    if (found !== undefined && (await isUsable(found, { folder, signal, sleep }))) {
      return toBackend({ folder, launch, sleep, reused: true });
    }
    // What is left of an earlier one would hold its memory, and perhaps the port.
    if (found !== undefined) await endBackend({ folder, ...found, sleep });
    const port = await freePort({ host: launch.host, port: options.port });
    const job = toJob({ options, launch, folder, port });
    const keeper = startKeeper(job);
    await untilReady({ job, keeper, signal, sleep });
    return toBackend({ folder, launch, sleep, reused: false });
  } finally {
    release();
  }
}

/** Whether it is up, or coming up, and then answers. */
async function isUsable(
  state: BackendState,
  { folder, signal, sleep }: { folder: string; signal: AbortSignal; sleep: Sleep },
): Promise<boolean> {
  let now = state;
  while (isRunning(now.keeper) && (now.phase === 'starting' || now.phase === 'restarting')) {
    await sleep(pollEvery, signal);
    now = readState(folder) ?? now;
  }
  if (now.phase !== 'ready' || !isRunning(now.keeper)) return false;
  return (await probe({ kind: now.kind, url: now.url, signal })).ready;
}

function toBackend({
  folder,
  launch,
  sleep,
  reused,
}: {
  folder: string;
  launch: Launch;
  sleep: Sleep;
  reused: boolean;
}): Backend {
  const state = readState(folder);
  if (state === undefined) throw didNotStart(launch.id, `${folder} was removed.`);
  const { id, kind, url, port, contextLength } = state;
  const { provider, model: takes } = kinds[kind];
  const named = takes === 'file_or_name' && launch.model !== undefined ? `#${launch.model}` : '';
  return {
    id,
    kind,
    url,
    port,
    modelName: `${provider}:${url}${named}`,
    ...(contextLength !== undefined && { contextLength }),
    reused,
    logFile: join(folder, logFile),
    stop: () => endBackend({ folder, ...(readState(folder) ?? state), sleep }),
  };
}
