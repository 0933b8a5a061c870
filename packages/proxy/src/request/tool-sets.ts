import { type CompiledSchema, ForgeError, type JsonSchema } from '@forge/core';
import type { Wire } from '@forge/models';
import { decodeTools } from './decode-tools.ts';
import { createToolSet, type ToolSet } from './tool-set.ts';

export interface ToolSets {
  /** The end of the tools at `start`, if they are among those asked for last. */
  skipKnown(bytes: Buffer, start: number): number | undefined;
  /**
   * The tools written in that span, as the wire reads them: the same object for the same bytes.
   * Throws `ModelError('bad_request')` for tools the wire cannot read.
   */
  get(wire: Wire, bytes: Buffer, span: readonly [number, number]): ToolSet;
  readonly size: number;
  /** Bytes of request text held. What was read from them is some ten times that. */
  readonly bytes: number;
}

export interface ToolSetsOptions {
  /** Sets held at most. All of them may be looked at for one that is not there. */
  readonly max: number;
  /** Bytes of request text held at most. Larger tools are read anew with each request. */
  readonly maxBytes: number;
  /** Compiles the schemas: a cache's `get`, so that sets that share a tool share its schema. */
  readonly compile: (schema: JsonSchema) => CompiledSchema;
}

/** How many sets are tried where the end of the tools is not known yet. */
const MOST_TRIED = 8;

/**
 * Remembers the tools of requests by their raw bytes, so that a client's next request with the
 * same tools costs a comparison of memory. The set not asked for the longest goes first.
 *
 * @example
 * const peek = peekRequest(bytes, wanted, (key, start) =>
 *   key === 'tools' ? toolSets.skipKnown(bytes, start) : undefined);
 * const span = peek?.span('tools');
 * const tools = span && toolSets.get(wire, bytes, span);
 */
export function createToolSets({ max, maxBytes, compile }: ToolSetsOptions): ToolSets {
  if (!(max >= 1) || !(maxBytes >= 0)) {
    throw new ForgeError(
      'invalid_options',
      `Tool sets need max of at least 1 and maxBytes of at least 0, not ${max} and ${maxBytes}.`,
    );
  }
  /** The one asked for last comes first. */
  const entries: Entry[] = [];
  let held = 0;

  const remember = (entry: Entry) => {
    if (entry.bytes.length > maxBytes) return;
    entries.unshift(entry);
    held += entry.bytes.length;
    while (entries.length > max || held > maxBytes) held -= entries.pop()?.bytes.length ?? 0;
  };

  return {
    skipKnown(bytes, start) {
      const most = Math.min(entries.length, MOST_TRIED);
      for (let n = 0; n < most; n++) {
        const entry = entries[n];
        if (entry?.isClosed && standsAt(entry.bytes, bytes, start)) {
          return start + entry.bytes.length;
        }
      }
      return undefined;
    },
    get(wire, bytes, [start, end]) {
      const at = entries.findIndex(
        (each) =>
          each.wire === wire.name &&
          each.bytes.length === end - start &&
          standsAt(each.bytes, bytes, start),
      );
      const known = entries[at];
      if (known !== undefined) {
        if (at > 0) {
          entries.splice(at, 1);
          entries.unshift(known);
        }
        return known.set;
      }
      const fresh = createEntry({ wire, bytes: bytes.subarray(start, end), compile });
      remember(fresh);
      return fresh.set;
    },
    get size() {
      return entries.length;
    },
    get bytes() {
      return held;
    },
  };
}

interface Entry {
  readonly wire: Wire['name'];
  readonly bytes: Buffer;
  /** Ends with a bracket of its own, so that no longer value begins with the same bytes. */
  readonly isClosed: boolean;
  readonly set: ToolSet;
}

function createEntry({
  wire,
  bytes,
  compile,
}: {
  wire: Wire;
  bytes: Buffer;
  compile: ToolSetsOptions['compile'];
}): Entry {
  const offered = decodeTools(wire, bytes.toString());
  // Not from the shared pool: that would keep alive what others put there.
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  const isClosed = own[0] === 0x5b || own[0] === 0x7b;
  return { wire: wire.name, bytes: own, isClosed, set: createToolSet(offered, compile) };
}

/** Looks at the middle and the end before it compares all: sets mostly begin alike. */
function standsAt(own: Buffer, bytes: Buffer, start: number): boolean {
  const { length } = own;
  const end = start + length;
  if (end > bytes.length || length === 0) return false;
  const middle = length >> 1;
  if (own[length - 1] !== bytes[end - 1] || own[middle] !== bytes[start + middle]) return false;
  return bytes.compare(own, 0, length, start, end) === 0;
}
