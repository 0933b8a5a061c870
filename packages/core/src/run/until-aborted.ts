/**
 * The result of a task, or a rejection with the signal's reason as soon as it aborts: a task
 * that ignores its signal cannot hold anyone up. What it does after that goes nowhere.
 */
export async function untilAborted<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([task(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
