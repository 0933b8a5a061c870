/** A source of chance that always draws the same for the same seed. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** The list in any order. */
  shuffle<T>(list: readonly T[]): T[];
}

/** Numbers of any kind may be seeds; each list of them is a source of its own. */
export function seededRandom(...seeds: readonly number[]): SeededRandom {
  // Mixed by FNV-1a over the bytes of each seed, then drawn by mulberry32.
  let state = 0x811c9dc5;
  for (const byte of new Uint8Array(Float64Array.from(seeds).buffer)) {
    state = Math.imul(state ^ byte, 0x01000193);
  }
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick: (list) => list[below(list.length)] ?? list[0],
    shuffle(list) {
      const keyed = list.map((item) => ({ item, key: next() }));
      return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
    },
  };
}
