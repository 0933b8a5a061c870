import type { Model } from '@forge/core';

/** What fits every model: the smallest known window. A model that cannot say does not count. */
export async function leastContextLength(
  models: readonly Model[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const lengths = await Promise.all(
    models.map(async (model) => {
      try {
        return await model.contextLength?.({ signal });
      } catch {
        signal.throwIfAborted();
        return undefined; // A backend that is down now must not keep the others from working.
      }
    }),
  );
  const known = lengths.filter((length) => length !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
