import type { JsonObject } from '@forge/core';
import { type IdPrefix, makeUpId } from './made-up-ids.ts';

/**
 * Ids of one response. Clients file items by id and refuse two alike, so a second taker of an id
 * gets one of its own, calls included.
 */
export interface ItemIds {
  claim(prefix: IdPrefix, wanted: string | undefined): string;
  /** An item the wire gave whole, under an id nobody else has. */
  claimFor(item: JsonObject): JsonObject;
}

export function createItemIds(newId: () => string): ItemIds {
  const items = new Set<string>();
  const calls = new Set<string>();

  function claim(prefix: IdPrefix, wanted: string | undefined): string {
    const taken = prefix === 'call' ? calls : items;
    const free = wanted !== undefined && wanted !== '' && !taken.has(wanted);
    const id = free ? wanted : makeUpId(prefix, newId());
    taken.add(id);
    return id;
  }

  return {
    claim,
    claimFor(item) {
      const wanted = typeof item.id === 'string' ? item.id : undefined;
      return { ...item, id: claim('item', wanted) };
    },
  };
}
