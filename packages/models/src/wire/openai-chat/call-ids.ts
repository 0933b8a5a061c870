/**
 * Which call a result of history belongs to. Servers and clients leave ids out; then a result
 * goes to the oldest open call, of its name if it has one.
 */
export interface CallIds {
  /** A new id for a call that has none, the same for the same history. */
  fresh(): string;
  opened(id: string, name: string): void;
  resultOf(id: string | null | undefined, name: string | null | undefined): ResultOwner;
}

export interface ResultOwner {
  readonly callId: string;
  readonly name: string;
}

export function createCallIds(taken: ReadonlySet<string>): CallIds {
  const names = new Map<string, string>();
  // Insertion order is age.
  const open = new Map<string, string>();
  let count = 0;

  function fresh(): string {
    let id: string;
    do id = `call_${count++}`;
    while (taken.has(id));
    return id;
  }

  function oldestOpen(name: string | null | undefined): string | undefined {
    for (const [id, called] of open) if (!name || called === name) return id;
    return undefined;
  }

  return {
    fresh,
    opened(id, name) {
      names.set(id, name);
      open.set(id, name);
    },
    resultOf(id, name) {
      const callId = id || oldestOpen(name) || fresh();
      open.delete(callId);
      return { callId, name: name || names.get(callId) || '' };
    },
  };
}
