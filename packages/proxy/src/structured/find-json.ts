const QUOTE = 34;
const BACKSLASH = 92;

/** Values looked at in one text: more of them is no answer in JSON. */
const MOST = 32;

export interface FoundJson {
  /** The objects and lists in a text, outermost only, as they are written. */
  readonly values: readonly string[];
  /**
   * A closing bracket stood outside of them, or there were too many. A quote that was not escaped
   * may have ended a value too soon: none of them can be trusted.
   */
  readonly isUnsure: boolean;
}

/**
 * Looks for JSON between other words. A value that does not end is the last and goes to the end of
 * the text. Linear: nothing is looked at twice.
 */
export function findJson(text: string): FoundJson {
  const values: string[] = [];
  let isUnsure = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isCloser(code)) isUnsure = true;
    if (!isOpener(code)) continue;
    const end = endOfNested(text, at);
    values.push(end === -1 ? withoutClosingFence(text.slice(at)) : text.slice(at, end));
    if (end === -1) break;
    if (values.length > MOST) return { values, isUnsure: true };
    at = end - 1;
  }
  return { values, isUnsure };
}

/**
 * What stands in the code fence that begins before any JSON does, up to the last fence or the end.
 * Undefined without one. The line break before its end is kept: it ends a last number.
 */
export function insideFence(text: string): string | undefined {
  const fence = /^[ \t]*```[^\n`]*\n/m.exec(text);
  if (fence === null) return undefined;
  if (/[{[]/.test(text.slice(0, fence.index))) return undefined;
  const rest = text.slice(fence.index + fence[0].length);
  const close = rest.lastIndexOf('```');
  return (close === -1 ? rest : rest.slice(0, close)).trimStart();
}

function isOpener(code: number): boolean {
  return code === 123 || code === 91;
}

function isCloser(code: number): boolean {
  return code === 125 || code === 93;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isString = !isString;
    else if (isString) {
      if (code === BACKSLASH) i++;
    } else if (isOpener(code)) depth++;
    else if (isCloser(code) && --depth === 0) return i + 1;
  }
  return -1;
}

function withoutClosingFence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith('```') ? trimmed.slice(0, -3) : trimmed;
}
