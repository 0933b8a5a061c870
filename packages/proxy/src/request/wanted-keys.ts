const BACKSLASH = 0x5c;

/** The keys of a set, made ready to be found in bytes. */
export class WantedKeys {
  readonly names: readonly string[];
  readonly #bytes: readonly (Buffer | undefined)[];

  constructor(wanted: ReadonlySet<string>) {
    this.names = [...wanted];
    // Half a surrogate pair has no bytes of its own; it can only come escaped.
    this.#bytes = this.names.map((name) => (name.isWellFormed() ? Buffer.from(name) : undefined));
  }

  /** Which key stands between these places; -1 for none of them. */
  find(bytes: Buffer, start: number, end: number): number {
    for (let n = 0; n < this.#bytes.length; n++) {
      const own = this.#bytes[n];
      if (own !== undefined && own.length === end - start && matches(bytes, start, own)) return n;
    }
    return hasEscape(bytes, start, end) ? this.#findEscaped(bytes, start, end) : -1;
  }

  #findEscaped(bytes: Buffer, start: number, end: number): number {
    try {
      const name: unknown = JSON.parse(bytes.toString('utf8', start - 1, end + 1));
      return typeof name === 'string' ? this.names.indexOf(name) : -1;
    } catch {
      return -1; // A wrong escape: no key, and no JSON either.
    }
  }
}

const known = new WeakMap<ReadonlySet<string>, WantedKeys>();

export function keysOf(wanted: ReadonlySet<string>): WantedKeys {
  let keys = known.get(wanted);
  if (keys === undefined) {
    keys = new WantedKeys(wanted);
    known.set(wanted, keys);
  }
  return keys;
}

/** A key with a backslash in `own` cannot match as it is: in JSON it is always escaped. */
function matches(bytes: Buffer, start: number, own: Buffer): boolean {
  for (let n = 0; n < own.length; n++) {
    const byte = own[n];
    if (bytes[start + n] !== byte || byte === BACKSLASH) return false;
  }
  return true;
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) return true;
  return false;
}
