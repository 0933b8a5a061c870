/** Watches JSON text go by and knows when an object or list in it has closed. Linear. */
export interface JsonEnd {
  push(text: string): void;
  /** A whole object or list has gone by and nothing after it. */
  readonly reached: boolean;
}

export function createJsonEnd(): JsonEnd {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let reached = false;

  function step(code: number): void {
    if (inString) {
      if (escaped) escaped = false;
      else if (code === BACKSLASH) escaped = true;
      else if (code === QUOTE) inString = false;
      return;
    }
    if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (code > SPACE) reached = depth === 0 && (code === CLOSE_BRACE || code === CLOSE_BRACKET);
  }

  return {
    push(text) {
      for (let at = 0; at < text.length; at++) step(text.charCodeAt(at));
    },
    get reached() {
      return reached;
    },
  };
}

const SPACE = 0x20;
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
