const headEnd = Buffer.from('\r\n\r\n');
const maxHead = 64 * 1024;

export interface ReplyListener {
  /** The first byte of a reply's body is here. */
  onBody(): void;
  /** All of it is. */
  onEnd(): void;
  /** It was not a reply to count. */
  onFault(fault: string): void;
}

/**
 * Reads replies off a connection without keeping them: a client that costs next to nothing. Knows
 * bodies of a given length and bodies in chunks.
 */
export function createReplyReader(listener: ReplyListener): { push(bytes: Buffer): void } {
  let state: 'head' | 'length' | 'size' | 'chunk' | 'trailer' = 'head';
  let held: Buffer | undefined;
  /** Bytes still to come: of the body, or of a chunk and the line break after it. */
  let due = 0;
  let begun = false;

  function end(): void {
    state = 'head';
    listener.onEnd();
  }

  /** The bytes up to a line break, which may have begun in an earlier packet. */
  function readLine(bytes: Buffer, at: number): { line: string; next: number } | undefined {
    const stop = bytes.indexOf(10, at);
    if (stop === -1) {
      held = bytes.subarray(at);
      return undefined;
    }
    return { line: bytes.toString('latin1', at, stop), next: stop + 1 };
  }

  function begin(): void {
    if (begun) return;
    begun = true;
    listener.onBody();
  }

  function readHead(bytes: Buffer, at: number): number | undefined {
    const stop = bytes.indexOf(headEnd, at);
    if (stop === -1) {
      if (bytes.length - at > maxHead) listener.onFault('a head without an end');
      held = bytes.subarray(at);
      return undefined;
    }
    const text = bytes.toString('latin1', at, stop);
    if (text.slice(9, 12) !== '200') listener.onFault(text.slice(0, 200));
    begun = false;
    const length = /\ncontent-length: *(\d+)/i.exec(text)?.[1];
    state = length === undefined ? 'size' : 'length';
    due = Number(length ?? 0);
    if (length === '0') end();
    return stop + headEnd.length;
  }

  return {
    push(packet) {
      const bytes = held === undefined ? packet : Buffer.concat([held, packet]);
      held = undefined;
      let at = 0;
      while (at < bytes.length) {
        if (state === 'head') {
          const next = readHead(bytes, at);
          if (next === undefined) return;
          at = next;
        } else if (state === 'length' || state === 'chunk') {
          begin();
          const taken = Math.min(due, bytes.length - at);
          at += taken;
          due -= taken;
          if (due > 0) continue;
          if (state === 'length') end();
          else state = 'size';
        } else {
          const read = readLine(bytes, at);
          if (read === undefined) return;
          at = read.next;
          if (state === 'trailer') {
            if (read.line === '\r' || read.line === '') end();
          } else {
            const size = Number.parseInt(read.line, 16);
            if (!Number.isFinite(size)) listener.onFault(`a chunk of size ${read.line}`);
            state = size === 0 ? 'trailer' : 'chunk';
            due = size + 2;
          }
        }
      }
    },
  };
}
