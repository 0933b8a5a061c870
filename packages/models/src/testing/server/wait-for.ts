import type { Sleep } from '../../retry/sleep.ts';
import type { Wait } from './fault.ts';

/** Resolves when the wait is over; rejects with the signal's reason if that comes first. */
export async function waitFor(
  wait: Wait | undefined,
  { chunk, sleep, signal }: { chunk: string; sleep: Sleep; signal: AbortSignal },
): Promise<void> {
  if (wait === undefined) return;
  signal.throwIfAborted();
  if (typeof wait === 'number') return sleep(wait, signal);
  const awaited = wait(chunk, signal);
  if (awaited === undefined) return;
  const left = Promise.withResolvers<never>();
  const onAbort = () => left.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([awaited, left.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Waits until the signal aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
