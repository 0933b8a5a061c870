import { ForgeError } from '@forge/core';

/** What a server answers, if it does so within that many milliseconds. */
export async function within<T>(patience: number, answer: Promise<T>, server: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const error = new ForgeError(
    'store_failed',
    `${server} does not answer. Wake-ups are given up until it does; workers find their runs in the store.`,
  );
  const timer = setTimeout(() => late.reject(error), patience);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
