import type { Stored } from './stored.ts';

/** A value that ends with the process: for tests, and for servers that come from code. */
export function memoryStored<T>(initial: T): Stored<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    read: async () => value,
    async update(change) {
      value = change(value);
      for (const listener of listeners) listener();
      return value;
    },
    watch(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}
