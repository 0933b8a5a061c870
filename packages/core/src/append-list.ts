/**
 * A list that only grows, shared by its versions: appending to the newest version costs the
 * item, not a copy, and older versions still see only what was theirs. Appending to an older
 * version (a fork) copies once.
 */
export interface AppendList<T> {
  readonly buffer: readonly T[];
  readonly length: number;
}

export function emptyList<T>(): AppendList<T> {
  return { buffer: [], length: 0 };
}

export function listOf<T>(items: readonly T[]): AppendList<T> {
  return { buffer: [...items], length: items.length };
}

export function append<T>(list: AppendList<T>, item: T): AppendList<T> {
  const isNewest = list.buffer.length === list.length;
  // The only writer of a buffer, and only past the end of every version that shares it.
  const buffer = isNewest ? (list.buffer as T[]) : list.buffer.slice(0, list.length);
  buffer.push(item);
  return { buffer, length: buffer.length };
}

/** The items of this version. No copy for the newest one. */
export function itemsOf<T>(list: AppendList<T>): readonly T[] {
  return list.buffer.length === list.length ? list.buffer : list.buffer.slice(0, list.length);
}
