/**
 * One value that outlives the process. `update` is the only way to change it: it sees the newest
 * value, whoever wrote it, and nobody else writes in between.
 */
export interface Stored<T> {
  read(): Promise<T>;
  update(change: (current: T) => T): Promise<T>;
  /** Tells of changes, by others also where the make can see them. Returns how to stop. */
  watch(onChange: () => void): () => void;
}
