import { isJsonObject } from '../json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { isDigit, isLetter, isWord } from './chars.ts';
import type { RescueTool } from './rescue-types.ts';

/** What recognition needs to know of one tool, read from its schema once. */
export interface ToolFacts {
  readonly name: string;
  readonly schema: JsonSchema | undefined;
  /** Property names in the order of the schema: positional arguments map by it. */
  readonly properties: readonly string[];
  readonly required: readonly string[];
  has(property: string): boolean;
  /** The JSON types a property may take; undefined where the schema does not say. */
  typesOf(property: string): ReadonlySet<string> | undefined;
}

export interface ResolvedName {
  readonly tool: ToolFacts;
  /** `name` where the written name differed by more than a known prefix. */
  readonly repair?: 'name';
}

/** The tool list, normalised: names in all the ways a model writes them. */
export interface ToolIndex {
  readonly size: number;
  readonly tools: readonly ToolFacts[];
  readonly longestName: number;
  exact(name: string): ToolFacts | undefined;
  resolve(written: string): ResolvedName | undefined;
  /** True when some tool name starts with `prefix`. */
  startsName(prefix: string): boolean;
}

const prefixes = ['functions.', 'function.', 'default_api.', 'tools.', 'tool.', 'api.', 'default.'];

const cache = new WeakMap<readonly RescueTool[], ToolIndex>();

/** Normalised once per array: callers pass the same array for every reply of a run. */
export function toolIndex(tools: readonly RescueTool[]): ToolIndex {
  let index = cache.get(tools);
  if (index === undefined) {
    index = buildIndex(tools);
    cache.set(tools, index);
  }
  return index;
}

function buildIndex(list: readonly RescueTool[]): ToolIndex {
  const byName = new Map<string, ToolFacts>();
  const byLoose = new Map<string, ToolFacts | null>();
  let starts: Set<string> | undefined;
  let longestName = 0;
  for (const entry of list) {
    const facts = readTool(entry);
    if (facts === undefined || byName.has(facts.name)) continue;
    byName.set(facts.name, facts);
    const loose = loosen(facts.name);
    byLoose.set(loose, byLoose.has(loose) ? null : facts);
    longestName = Math.max(longestName, facts.name.length);
  }

  function resolve(written: string): ResolvedName | undefined {
    const direct = byName.get(written);
    if (direct !== undefined) return { tool: direct };
    if (written.length > longestName * 2 + 32) return undefined;
    if (isPlain(written)) return loosely(written);
    for (const name of plainer(written)) {
      const tool = byName.get(name);
      if (tool !== undefined) return { tool };
    }
    for (const name of plainer(written)) {
      const resolved = loosely(name);
      if (resolved !== undefined) return resolved;
    }
    return undefined;
  }

  function loosely(name: string): ResolvedName | undefined {
    if (!isWord(name.charCodeAt(0)) || !isWord(name.charCodeAt(name.length - 1))) return undefined;
    const tool = byLoose.get(loosen(name));
    return tool === undefined || tool === null ? undefined : { tool, repair: 'name' };
  }

  return {
    size: byName.size,
    tools: [...byName.values()],
    longestName,
    exact: (name) => byName.get(name),
    resolve,
    startsName(prefix) {
      starts ??= new Set([...byName.keys()].flatMap(prefixesOf));
      return starts.has(prefix);
    },
  };
}

function prefixesOf(name: string): string[] {
  return Array.from(name, (_, at) => name.slice(0, at + 1));
}

/** The name as written, then with quotes, `functions.`-like prefixes and `:0` suffixes gone. */
function* plainer(written: string): Generator<string> {
  let name = written.trim();
  yield name;
  name = stripQuotes(name);
  yield name;
  if (name.endsWith('()')) name = name.slice(0, -2);
  const colon = name.lastIndexOf(':');
  if (colon > 0 && isCount(name, colon + 1)) {
    name = name.slice(0, colon);
    yield name;
  }
  for (let again = true; again; ) {
    again = false;
    for (const prefix of prefixes) {
      if (name.length > prefix.length && name.startsWith(prefix)) {
        name = name.slice(prefix.length);
        yield name;
        again = true;
      }
    }
  }
  const half = (name.length - 1) / 2;
  if (name.charAt(half) === '.' && name.slice(0, half) === name.slice(half + 1)) {
    yield name.slice(0, half);
  }
  if (name.endsWith('.call')) yield name.slice(0, -5);
}

/** Letters, digits, `_` and `-` only: nothing to strip. */
function isPlain(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code < 128 && !isLetter(code) && !isDigit(code) && code !== 95 && code !== 45) return false;
  }
  return true;
}

function isCount(text: string, from: number): boolean {
  if (from >= text.length) return false;
  for (let i = from; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}

const quotes = '"\'`“”‘’*';

function stripQuotes(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && quotes.includes(text.charAt(from))) from++;
  while (to > from && quotes.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** A name without case and separators: `Get-Forecast`, `getForecast` and `get_forecast` are one. */
export function loosen(name: string): string {
  const lower = name.toLowerCase();
  return separators.test(lower) ? lower.replaceAll(/[-_. ]/g, '') : lower;
}

const separators = /[-_. ]/;

function readTool(entry: unknown): ToolFacts | undefined {
  if (!isJsonObject(entry)) return undefined;
  const inner: { readonly [key: string]: unknown } = isJsonObject(entry.function)
    ? entry.function
    : entry;
  const { name } = inner;
  if (typeof name !== 'string' || name === '') return undefined;
  const schema = inner.inputSchema ?? inner.parameters ?? inner.input_schema;
  return factsOf(name, isSchema(schema) ? schema : undefined);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

function factsOf(name: string, schema: JsonSchema | undefined): ToolFacts {
  const root: { readonly [key: string]: unknown } = typeof schema === 'object' ? schema : {};
  const declared = isJsonObject(root.properties) ? root.properties : {};
  const properties = Object.keys(declared);
  const known = new Set(properties);
  const types = new Map<string, ReadonlySet<string> | undefined>();
  const required = Array.isArray(root.required)
    ? root.required.filter((item) => typeof item === 'string')
    : [];
  return {
    name,
    schema,
    properties,
    required,
    has: (property) => known.has(property),
    typesOf(property) {
      if (!known.has(property)) return undefined;
      if (!types.has(property)) types.set(property, typesIn(declared[property], root, 0));
      return types.get(property);
    },
  };
}

/** The types a schema names, through unions and local references; undefined if it names none. */
function typesIn(
  schema: unknown,
  root: { readonly [key: string]: unknown },
  depth: number,
): ReadonlySet<string> | undefined {
  if (!isJsonObject(schema) || depth > 8) return undefined;
  const found = new Set<string>();
  const add = (names: Iterable<unknown> | undefined): void => {
    for (const item of names ?? []) if (typeof item === 'string') found.add(item);
  };
  const { type, enum: values, $ref: ref } = schema;
  if (typeof type === 'string') found.add(type);
  else if (Array.isArray(type)) add(type);
  else if (Array.isArray(values)) add(values.map(jsonType));
  else if ('const' in schema) found.add(jsonType(schema.const));
  if (found.size === 0) {
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const branches = schema[key];
      if (!Array.isArray(branches)) continue;
      for (const branch of branches) add(typesIn(branch, root, depth + 1));
    }
  }
  if (found.size === 0 && typeof ref === 'string') add(typesIn(target(ref, root), root, depth + 1));
  if (schema.nullable === true && found.size > 0) found.add('null');
  return found.size === 0 ? undefined : found;
}

function target(ref: string, root: { readonly [key: string]: unknown }): unknown {
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) at = isJsonObject(at) ? at[step] : undefined;
  return at;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
