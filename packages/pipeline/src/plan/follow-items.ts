import type { JsonValue } from '@forge/core';
import type { Attempt } from './attempt.ts';
import type { Item, Items } from './read-items.ts';

export type ItemTrace = { readonly key: string } & (
  | Attempt
  /** It waits for others, or one it waited for failed and it is left out. */
  | { readonly status: 'pending' | 'skipped'; readonly attempt: 0; readonly callId?: undefined }
);

/**
 * How far each item is, in the order of the list. An item begins when those it waits for are done;
 * if one of them failed it never does.
 */
export function followItems(
  { items, order }: Extract<Items, { ok: true }>,
  follow: (item: Item, done: readonly JsonValue[]) => Attempt,
): ItemTrace[] {
  const traces = new Map<string, ItemTrace>();
  for (const index of order) {
    const item = items[index];
    if (item !== undefined) traces.set(item.key, traceOf(item));
  }
  return items.flatMap(({ key }) => traces.get(key) ?? []);

  function traceOf(item: Item): ItemTrace {
    const { key } = item;
    const before = new Set(item.after);
    // In the order of the list, whatever order they are named in.
    const waited = before.size === 0 ? [] : items.filter((other) => before.has(other.key));
    const results = waited.map((other) => traces.get(other.key));
    if (results.some((trace) => trace?.status === 'failed' || trace?.status === 'skipped')) {
      return { key, status: 'skipped', attempt: 0 };
    }
    const done = results.flatMap((trace) => (trace?.status === 'done' ? [trace.value] : []));
    if (done.length < results.length) return { key, status: 'pending', attempt: 0 };
    return { key, ...follow(item, done) };
  }
}
