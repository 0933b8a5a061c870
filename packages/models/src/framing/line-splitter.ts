import { StringDecoder } from 'node:string_decoder';
import { frameTooLong } from './framing.ts';

export interface LineSplitter {
  /** Gives each line these bytes complete, without its end. */
  push(bytes: Uint8Array, take: (line: string) => void): void;
  /** The last line, if it had no end; else the empty string. */
  end(): string;
  readonly held: number;
}

/**
 * Bytes to lines, with a leading byte order mark removed. Lines end in LF, or with `carriageReturns`
 * also in CR or CRLF; a CR ends its line at once, whether or not an LF follows in later bytes.
 *
 * Linear: pieces of an unfinished line are joined once, when its end arrives.
 */
export function createLineSplitter(options: {
  readonly limit: number;
  readonly carriageReturns: boolean;
}): LineSplitter {
  const { limit, carriageReturns } = options;
  const utf8 = new StringDecoder('utf8');
  let pieces: string[] = [];
  let held = 0;
  let atStart = true;
  let afterCr = false;
  let hasFailed = false;

  function refuse(): never {
    hasFailed = true;
    // An abandoned decoder holds nothing.
    pieces = [];
    held = 0;
    throw frameTooLong(limit);
  }

  function hold(piece: string): void {
    held += piece.length;
    if (held > limit) refuse();
    pieces.push(piece);
  }

  function finish(piece: string): string {
    if (held === 0) return piece;
    pieces.push(piece);
    const line = pieces.join('');
    pieces = [];
    held = 0;
    return line;
  }

  function split(text: string, take: (line: string) => void): void {
    let from = afterCr && text.charCodeAt(0) === LF ? 1 : 0;
    afterCr = false;
    let lf = text.indexOf('\n', from);
    let cr = carriageReturns ? text.indexOf('\r', from) : -1;
    while (lf !== -1 || cr !== -1) {
      const isCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = isCr ? cr : lf;
      const line = finish(text.slice(from, end));
      if (line.length > limit) refuse();
      from = end + 1;
      afterCr = isCr && from === text.length;
      if (isCr && lf === from) from += 1;
      if (lf !== -1 && lf < from) lf = text.indexOf('\n', from);
      if (isCr) cr = text.indexOf('\r', from);
      take(line);
    }
    if (from < text.length) hold(text.slice(from));
  }

  return {
    push(bytes, take) {
      if (hasFailed) refuse();
      const text = utf8.write(bytes);
      if (text === '') return;
      const first = atStart;
      atStart = false;
      split(first && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text, take);
    },
    end() {
      if (hasFailed) refuse();
      // What the text decoder still has is the rest of a broken character, never a line's end.
      return finish(utf8.end());
    },
    get held() {
      return held;
    },
  };
}

const LF = 10;
const BYTE_ORDER_MARK = 0xfeff;
