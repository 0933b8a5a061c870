import type { JsonValue } from '../json.ts';
import { isSpace } from './chars.ts';
import { soundJson } from './sound-json.ts';
import { lexTag } from './tag.ts';
import type { ToolFacts } from './tool-index.ts';
import { put, ValueParser } from './value-parser.ts';

/** A parameter as it stood between its tags. */
export interface RawParameter {
  readonly key: string;
  readonly raw: string;
  /** The format itself says whether it is text or JSON. */
  readonly hint?: 'string' | 'json';
}

/**
 * The arguments that tags spell out, typed by the tool's schema: a string stays what it was,
 * markup and all; anything else is read as JSON or as nested tags. A parameter that comes again
 * is the next item of a list, or replaces the first.
 */
export function typedArguments(
  parameters: readonly RawParameter[],
  tool: ToolFacts,
): { args: { [key: string]: JsonValue }; repairs: string[] } {
  const args: { [key: string]: JsonValue } = {};
  const repairs = new Set<string>();
  for (const parameter of parameters) {
    const { key } = parameter;
    const value = typed(parameter, tool, repairs);
    const before = Object.hasOwn(args, key) ? args[key] : undefined;
    if (before !== undefined && tool.typesOf(key)?.has('array') === true) {
      put(args, key, [before, value].flat());
    } else put(args, key, value);
  }
  return { args, repairs: [...repairs] };
}

function typed({ key, raw, hint }: RawParameter, tool: ToolFacts, repairs: Set<string>): JsonValue {
  const text = unwrapLines(raw);
  const types = tool.typesOf(key);
  if (hint === 'string') return text;
  if (types?.has('string') === true && hint !== 'json') {
    if (types.has('null') && text.trim() === 'null') return null;
    return unescapeEntities(text, repairs);
  }
  // A parameter the schema does not know stays text; a tool without a schema knows none.
  const unknown = types === undefined && tool.has(key) === false && tool.properties.length > 0;
  if (unknown && hint === undefined) return unescapeEntities(text, repairs);
  const value = readJson(text.trim(), repairs);
  if (value !== undefined) return value;
  if (types?.has('array') === true || types?.has('object') === true) {
    const nested = readChildren(text, 0);
    if (nested !== undefined) return nested;
  }
  return unescapeEntities(text, repairs);
}

function readJson(text: string, repairs: Set<string>): JsonValue | undefined {
  if (text === '') return undefined;
  const sound = soundJson(text);
  if (sound !== undefined) return sound;
  const parser = new ValueParser(text);
  const value = parser.read(0);
  if (parser.broken || parser.barewords || parser.placeholder || parser.pos < text.length) {
    return undefined;
  }
  if (parser.cut === 'closers') return undefined;
  if (parser.cut === 'inside' && typeof value !== 'number') return undefined;
  for (const repair of parser.repairs) repairs.add(repair);
  return value;
}

/**
 * Less the one line break models put behind the opening tag and before the closing one. A value
 * on a line of its own that is indented like its tags is that line.
 */
export function unwrapLines(raw: string): string {
  const cdata = raw.trim();
  if (cdata.startsWith('<![CDATA[')) {
    const end = cdata.lastIndexOf(']]>');
    return cdata.slice(9, end === -1 ? undefined : end);
  }
  // A reply that was escaped as a whole has its line breaks as two characters.
  if (raw.length > 3 && raw.startsWith('\\n') && raw.endsWith('\\n')) return raw.slice(2, -2);
  let from = 0;
  let to = raw.length;
  if (raw.startsWith('\r\n')) from = 2;
  else if (raw.startsWith('\n')) from = 1;
  if (from > 0 && to > from) {
    let last = to - 1;
    while (last > from && (raw.charCodeAt(last) === 32 || raw.charCodeAt(last) === 9)) last--;
    const indented = last < to - 1 && raw.charCodeAt(last) === 10;
    if (indented && raw.indexOf('\n', from) === last) return raw.trim();
  }
  if (to > from && raw.charCodeAt(to - 1) === 10) {
    to--;
    if (to > from && raw.charCodeAt(to - 1) === 13) to--;
  }
  return raw.slice(from, to);
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&#34;', '"'],
]);

/**
 * XML entities are decoded only in a value that is escaped throughout: no raw `<`, `>` or `&`,
 * and none but the entities XML itself has. A page of HTML with `&nbsp;` in it is left alone.
 */
function unescapeEntities(text: string, repairs: Set<string>): string {
  if (!text.includes('&') || text.includes('<') || text.includes('>')) return text;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    const end = text.indexOf(';', at);
    if (end === -1 || end - at > 5 || !entities.has(text.slice(at, end + 1))) return text;
  }
  repairs.add('entities');
  return text.replaceAll(
    /&(?:lt|gt|amp|quot|apos|#39|#34);/g,
    (name) => entities.get(name) ?? name,
  );
}

/** Nested tags: `<item>a</item><item>b</item>` is a list, other names are an object's keys. */
function readChildren(text: string, depth: number): JsonValue | undefined {
  if (depth > 20) return undefined;
  const names: string[] = [];
  const values: JsonValue[] = [];
  let i = 0;
  for (;;) {
    while (i < text.length && isSpace(text.charCodeAt(i))) i++;
    if (i >= text.length) break;
    const tag = text.charCodeAt(i) === 60 ? lexTag(text, i) : undefined;
    if (tag === undefined || tag.close) return undefined;
    const closer = `</${tag.name}>`;
    const end = matchingClose(text, tag.end, tag.name);
    if (end === -1) return undefined;
    const inner = text.slice(tag.end, end);
    names.push(tag.name);
    values.push(
      readChildren(inner, depth + 1) ?? readJson(inner.trim(), new Set()) ?? unwrapLines(inner),
    );
    i = end + closer.length;
  }
  if (names.length === 0) return undefined;
  if (names.every((name) => name === 'item')) return values;
  const object: { [key: string]: JsonValue } = {};
  names.forEach((name, at) => {
    put(object, name, values[at] ?? null);
  });
  return object;
}

/** Where `</name>` closes, over nested tags of the same name; -1 if nowhere. */
function matchingClose(text: string, from: number, name: string): number {
  const open = `<${name}>`;
  const close = `</${name}>`;
  let depth = 1;
  let i = from;
  for (;;) {
    const end = text.indexOf(close, i);
    if (end === -1) return -1;
    depth += text.slice(i, end).split(open).length - 2;
    if (depth === 0) return end;
    i = end + close.length;
  }
}
