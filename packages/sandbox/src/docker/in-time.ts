import { ForgeError } from '@forge/core';

/** The daemon is there and says nothing. Asking it again would only take as long again. */
export class SilentDaemon extends ForgeError {
  constructor(what: string, ms: number) {
    super(
      'sandbox_failed',
      `The Docker daemon did not ${what} within ${ms / 1000} s. Look at its log, or restart it.`,
    );
  }
}

/**
 * Work at the daemon that may not take longer than this. What is done gets a signal, which ends it
 * when the time is over or the given one aborts; the wait ends then too, whether the work heeds it or
 * not.
 */
export async function inTime<Result>(
  limit: { readonly ms: number; readonly what: string; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { ms, what, signal } = limit;
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  const timer = setTimeout(() => ending.abort(new SilentDaemon(what, ms)), ms);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    return await within(ending.signal, () => work(ending.signal));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** Waits no longer than the signal allows; dockerode has no way to give some questions up. */
export async function within<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
