import { isLetter, isPipe, isSpace, isWord, NEWLINE } from './chars.ts';

/**
 * One tag or special token: `<name=value a="b">`, `<name(value)>`, `</name>`, `<|name|>`,
 * `<｜DSML｜name …>`.
 */
export interface Tag {
  readonly start: number;
  /** Where the text goes on. For a tag that lacks its `>`, where its payload starts. */
  readonly end: number;
  readonly name: string;
  readonly close: boolean;
  readonly selfClosing: boolean;
  /** A special token: written with pipes. */
  readonly token: boolean;
  /** What follows `=` directly behind the name. */
  readonly value?: string;
  readonly attributes?: ReadonlyMap<string, string>;
}

/** No tag is longer than this. */
const MOST = 600;

/** `Ġ`, a space as byte-level tokenizers spell it: some servers forget to turn it back. */
const SPACE_MARK = 0x120;

/**
 * The tag that starts with the `<` at `at`, if one does. Looks no further than its own end, the
 * next `<` outside quotes, or a fixed number of characters. Undefined also for a tag the text
 * ends in.
 */
export function lexTag(text: string, at: number): Tag | undefined {
  let i = at + 1;
  if (text.charCodeAt(i) === 60 && isLetter(text.charCodeAt(i + 1))) i++;
  let close = false;
  let token = false;
  if (text.charCodeAt(i) === 47) {
    close = true;
    i++;
  }
  if (isPipe(text.charCodeAt(i))) {
    token = true;
    i++;
    if (text.charCodeAt(i) === 47) {
      close = true;
      i++;
    }
    if (text.startsWith('DSML', i) && isPipe(text.charCodeAt(i + 4))) {
      token = false;
      i += 5;
    }
  }
  if (text.charCodeAt(i) === 32) i++;
  const nameStart = i;
  if (!isWord(text.charCodeAt(i))) return undefined;
  const limit = Math.min(text.length, at + MOST);
  while (i < limit && isTagChar(text.charCodeAt(i))) i++;
  if (i >= limit) return undefined;
  const name = text.slice(nameStart, i);
  const head = { start: at, name, token };

  if (isPipe(text.charCodeAt(i)) && text.charCodeAt(i + 1) === 62) {
    // `<name|>` without the first pipe ends what `<|name>` began.
    return { ...head, end: i + 2, close: close || !token, selfClosing: false, token: true };
  }
  if (text.charCodeAt(i) === 40) return lexBracketed(text, i + 1, limit, { ...head, close });
  if (text.charCodeAt(i) === 61) return lexValue(text, i + 1, limit, { ...head, close });
  return lexAttributes(text, i, limit, { ...head, close });
}

interface Head {
  readonly start: number;
  readonly name: string;
  readonly token: boolean;
  readonly close: boolean;
}

/** `<function=name>`, with or without quotes; `{` or a line end stand for a missing `>`. */
function lexValue(text: string, at: number, limit: number, head: Head): Tag | undefined {
  let i = at;
  const quote = text.charCodeAt(i);
  const quoted = quote === 34 || quote === 39;
  if (quoted) i++;
  const from = i;
  for (; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (quoted ? code === quote || code === NEWLINE : '>{<(\n"\''.includes(text.charAt(i))) break;
  }
  if (i >= limit) return undefined;
  const value = text.slice(from, i).trim();
  if (quoted && text.charCodeAt(i) === quote) i++;
  let selfClosing = false;
  if (text.charCodeAt(i) === 47) {
    selfClosing = true;
    i++;
  }
  if (text.charCodeAt(i) === 62) i++;
  if (text.charCodeAt(i) === 62 && text.charCodeAt(head.start + 1) === 60) i++;
  return { ...head, end: i, selfClosing, value };
}

/** `<function(name)>`. */
function lexBracketed(text: string, at: number, limit: number, head: Head): Tag | undefined {
  let i = at;
  while (i < limit && isTagChar(text.charCodeAt(i))) i++;
  if (i === at || text.charCodeAt(i) !== 41 || text.charCodeAt(i + 1) !== 62) return undefined;
  return { ...head, end: i + 2, selfClosing: false, value: text.slice(at, i) };
}

function lexAttributes(text: string, at: number, limit: number, head: Head): Tag | undefined {
  let attributes: Map<string, string> | undefined;
  let i = at;
  while (i < limit) {
    const code = text.charCodeAt(i);
    if (isSpace(code) || code === SPACE_MARK) {
      i++;
    } else if (code === 62) {
      i++;
      if (text.charCodeAt(i) === 62 && text.charCodeAt(head.start + 1) === 60) i++;
      return finish(head, i, false, attributes);
    } else if ((code === 47 || isPipe(code)) && text.charCodeAt(i + 1) === 62) {
      return finish(head, i + 2, code === 47, attributes);
    } else if (code === 123 || code === 91 || code === 60) {
      // The `>` was left out; only a tag without attributes is believed to be one then.
      return attributes === undefined ? finish(head, i, false, undefined) : undefined;
    } else if (isLetter(code) || code === 95) {
      const from = i;
      while (i < limit && isTagChar(text.charCodeAt(i))) i++;
      const key = text.slice(from, i);
      while (i < limit && isSpace(text.charCodeAt(i))) i++;
      attributes ??= new Map();
      if (text.charCodeAt(i) !== 61) {
        attributes.set(key, '');
        continue;
      }
      i++;
      while (i < limit && isSpace(text.charCodeAt(i))) i++;
      const quote = text.charCodeAt(i);
      const quoted = quote === 34 || quote === 39;
      if (quoted) i++;
      const start = i;
      while (i < limit && !endsAttribute(text.charCodeAt(i), quoted ? quote : 0)) i++;
      attributes.set(key, text.slice(start, i));
      if (quoted) i++;
    } else {
      return undefined;
    }
  }
  return undefined;
}

function endsAttribute(code: number, quote: number): boolean {
  return quote === 0 ? isSpace(code) || code === 62 || code === 60 : code === quote;
}

function finish(
  head: Head,
  end: number,
  selfClosing: boolean,
  attributes: ReadonlyMap<string, string> | undefined,
): Tag {
  const spaced = attributes?.size === 1 && (attributes.has('call') || attributes.has('calls'));
  const name = spaced ? `${head.name} ${[...attributes.keys()][0]}` : head.name;
  return { ...head, name, end, selfClosing, ...(attributes === undefined ? {} : { attributes }) };
}

function isTagChar(code: number): boolean {
  if (code === SPACE_MARK) return false;
  return isWord(code) || code === 45 || code === 46 || code === 58 || code === 0x2581;
}

const marks = new Set(['THINK', 'ARGS', 'CALL_ID']);

/**
 * A marker in square brackets at `at`: `[TOOL_CALLS]`, `[/THINK]`, `[END_TOOL_REQUEST]`,
 * `[BEGIN FINAL RESPONSE]`. Capitals only, as the models write them, so that links and
 * footnotes stay what they are.
 */
export function lexBracket(text: string, at: number): Tag | undefined {
  let i = at + 1;
  const close = text.charCodeAt(i) === 47;
  if (close) i++;
  const from = i;
  const limit = Math.min(text.length, at + 32);
  while (i < limit && isCapital(text.charCodeAt(i))) i++;
  if (text.charCodeAt(i) !== 93 || i === from) return undefined;
  const name = text.slice(from, i);
  if (name.length < 8 && !marks.has(name)) return undefined;
  return { start: at, end: i + 1, name, close, selfClosing: false, token: false };
}

function isCapital(code: number): boolean {
  return (code >= 65 && code <= 90) || code === 95 || code === 32;
}

/** The first of these attributes that says something. */
export function attribute(tag: Tag, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = tag.attributes?.get(name);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}
