import type { Happening } from '@forge/core';

const nanosPerDollar = 1_000_000_000;

/**
 * Money as a whole number of billionths of a dollar. Whole numbers add up to the same sum in every
 * order, so a projection that grew step by step equals one made anew.
 */
export function toNanos(dollars: number | undefined): number {
  return whole((dollars ?? 0) * nanosPerDollar);
}

export function fromNanos(nanos: number): number {
  return nanos / nanosPerDollar;
}

/** A backend's count as a whole number; what is no number counts as none. */
export function whole(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) ? Math.round(count) : 0;
}

/** The usage a happening reports, if it is one that does. */
export function usageIn(happening: Happening) {
  return happening.type === 'model.replied'
    ? { usage: happening.reply.usage, costNano: toNanos(happening.reply.cost) }
    : undefined;
}
