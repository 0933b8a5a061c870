import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import {
  argumentRanks,
  callKeys,
  metaKeys,
  nameRanks,
  own,
  ranked,
  tellingKeys,
  wrapperRanks,
} from './call-keys.ts';
import type { ResolvedName, ToolFacts, ToolIndex } from './tool-index.ts';

/** A part of a parsed value that has the form of a call. */
export interface Candidate {
  /** As the model wrote it. */
  readonly written: string;
  readonly resolved: ResolvedName | undefined;
  /** What stood where arguments belong; undefined where nothing did. */
  readonly args: JsonValue | undefined;
  /** The object the name stood in. */
  readonly source: JsonObject;
  readonly id?: string;
  /** Name and arguments stand under the names a call has: not data that happens to look so. */
  readonly clear: boolean;
  /** The description of a tool, not a call of it. */
  readonly definition: boolean;
  /** The tool was found by its parameters. */
  readonly inferred: boolean;
}

/**
 * The calls a parsed value holds, through wrappers and lists; none for plain data. With `strong`
 * the value stood where only a call can stand, so less proof is asked for.
 */
export function recogniseCalls(
  value: JsonValue | undefined,
  index: ToolIndex,
  strong: boolean,
  depth = 0,
): Candidate[] {
  if (depth > 10) return [];
  if (Array.isArray(value)) {
    const found: Candidate[] = [];
    for (const item of value) found.push(...recogniseCalls(item, index, strong, depth + 1));
    return found;
  }
  if (!isJsonObject(value)) return [];
  if (!mayBeCall(value, index)) {
    const plain = plainKeys(value);
    if (plain !== undefined) return recogniseCalls(plain, index, strong, depth + 1);
    if (!strong) return [];
  }
  const wrapped = unwrap(value, index, depth);
  if (wrapped.length > 0) return wrapped;
  const direct = namedCall(value, index, strong);
  if (direct !== undefined) return [direct];
  const keyed = nameAsKey(value, index);
  if (keyed.length > 0) return keyed;
  return strong ? inferTool(value, index) : [];
}

/** A cheap look at the keys: plain data, which is most of what comes, is done with here. */
function mayBeCall(value: JsonObject, index: ToolIndex): boolean {
  for (const key in value)
    if (tellingKeys.has(key) || index.exact(key) !== undefined || key.includes('.')) return true;
  return false;
}

/** The same object with `Name` and `arguments ` written as they should be. */
function plainKeys(value: JsonObject): JsonObject | undefined {
  const keys = Object.keys(value);
  const plain = keys.map((key) => {
    const lower = key.length < 24 ? key.trim().toLowerCase() : key;
    return callKeys.has(lower) ? lower : key;
  });
  if (!plain.some((key, at) => key !== keys[at] && tellingKeys.has(key))) return undefined;
  return Object.fromEntries(plain.map((key, at) => [key, value[keys[at] ?? ''] ?? null]));
}

function unwrap(value: JsonObject, index: ToolIndex, depth: number): Candidate[] {
  for (const key of ranked(value, wrapperRanks)) {
    const inner = value[key];
    if (!isJsonObject(inner) && !Array.isArray(inner)) continue;
    const id = idOf(value);
    const found = recogniseCalls(inner, index, false, depth + 1);
    if (found.length > 0) {
      return id === undefined ? found : found.map((call) => (call.id ? call : { ...call, id }));
    }
  }
  const params = own(value, 'params');
  if (own(value, 'method') === 'tools/call' && isJsonObject(params)) {
    return recogniseCalls(params, index, false, depth + 1);
  }
  return [];
}

function namedCall(value: JsonObject, index: ToolIndex, strong: boolean): Candidate | undefined {
  let nameKey: string | undefined;
  let resolved: ResolvedName | undefined;
  for (const key of ranked(value, nameRanks)) {
    const written = value[key];
    if (typeof written !== 'string') continue;
    resolved = index.resolve(written);
    nameKey = resolved === undefined ? (nameKey ?? key) : key;
    if (resolved !== undefined) break;
  }
  if (nameKey === undefined) return undefined;
  const written = String(value[nameKey]);
  const id = idOf(value);
  const base = {
    written,
    resolved,
    source: value,
    ...(id === undefined ? {} : { id }),
    inferred: false,
  };
  const tool = resolved?.tool;

  const argumentKey = ranked(value, argumentRanks).find((key) => key !== nameKey);
  if (argumentKey !== undefined) {
    const args = value[argumentKey];
    const structured =
      isJsonObject(args) || Array.isArray(args) || args === null || isJsonText(args);
    if (structured || tool?.has(argumentKey) !== true) {
      const definition = isDefinition(value, args, tool);
      const clear = structured && args !== null && !Array.isArray(args);
      if (tool === undefined && !clear) return undefined;
      return { ...base, args, clear, definition };
    }
  }
  if (tool === undefined) return undefined;
  const rest = flattened(value, nameKey, tool);
  const keys = Object.keys(rest);
  if (keys.length === 0) {
    if (Object.hasOwn(value, 'description')) return undefined;
    if (!strong && tool.required.length > 0) return undefined;
    return { ...base, args: undefined, clear: false, definition: false };
  }
  if (!keys.every((key) => tool.has(key))) return undefined;
  if (!strong && !tool.required.every((key) => Object.hasOwn(rest, key))) return undefined;
  return { ...base, args: rest, clear: false, definition: false };
}

/** `{"tool": "f", "city": "Oslo"}`: what is beside the name, less what is beside the point. */
function flattened(value: JsonObject, nameKey: string, tool: ToolFacts): JsonObject {
  const entries = Object.entries(value).filter(
    ([key]) => key !== nameKey && (tool.has(key) || !metaKeys.has(key)),
  );
  return Object.fromEntries(entries);
}

/** `{"get_forecast": {"city": "Oslo"}}`, one key for each call. */
function nameAsKey(value: JsonObject, index: ToolIndex): Candidate[] {
  const keys = Object.keys(value).filter((key) => !metaKeys.has(key) || index.exact(key));
  if (keys.length === 0 || keys.length > 20) return [];
  const found: Candidate[] = [];
  for (const key of keys) {
    const resolved = index.resolve(key);
    if (resolved === undefined || resolved.repair !== undefined) return [];
    const { args, id } = keyedArguments(value[key], resolved.tool);
    if (!isJsonObject(args) && args !== null && !isJsonText(args)) return [];
    const { tool } = resolved;
    const fits = !isJsonObject(args) || Object.keys(args).every((name) => tool.has(name));
    if (!fits && tool.properties.length > 0) return [];
    const definition = isJsonObject(args) && isDefinition({}, args, tool);
    found.push({
      written: key,
      resolved,
      source: value,
      args,
      ...(id === undefined ? {} : { id }),
      clear: true,
      definition,
      inferred: false,
    });
  }
  return found;
}

/** `{"get_forecast": {"id": "1", "args": {…}}}` has one layer more. */
function keyedArguments(
  value: JsonValue | undefined,
  tool: ToolFacts,
): { args: JsonValue | undefined; id?: string | undefined } {
  if (!isJsonObject(value)) return { args: value };
  const [inner] = ranked(value, argumentRanks);
  const wrapped = inner !== undefined && isJsonObject(value[inner]);
  if (!wrapped || Object.keys(value).some((key) => tool.has(key))) return { args: value };
  const others = Object.keys(value).filter((key) => key !== inner);
  return others.every((key) => metaKeys.has(key))
    ? { args: value[inner], id: idOf(value) }
    : { args: value };
}

/** The one tool whose parameters these are. */
function inferTool(value: JsonObject, index: ToolIndex): Candidate[] {
  const keys = Object.keys(value);
  if (keys.length === 0) return [];
  const fitting = index.tools.filter(
    (tool) =>
      keys.every((key) => tool.has(key)) && tool.required.every((key) => Object.hasOwn(value, key)),
  );
  const [tool] = fitting;
  if (tool === undefined || fitting.length > 1) return [];
  const resolved = { tool };
  return [
    {
      written: '',
      resolved,
      source: value,
      args: value,
      clear: true,
      definition: false,
      inferred: true,
    },
  ];
}

/** The echo of a tool's own description: its arguments are a JSON Schema. */
function isDefinition(
  value: JsonObject,
  args: JsonValue | undefined,
  tool: ToolFacts | undefined,
): boolean {
  if (!isJsonObject(args)) return false;
  if (own(args, 'type') === 'object' && isJsonObject(own(args, 'properties'))) {
    return tool?.has('properties') !== true;
  }
  return typeof own(value, 'description') === 'string' && Object.hasOwn(value, 'parameters');
}

function isJsonText(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string') return false;
  const text = value.trimStart();
  return text === '' || text.startsWith('{') || text.startsWith('"{') || text.startsWith("'{");
}

function idOf(value: JsonObject): string | undefined {
  for (const key of ['id', 'call_id', 'tool_call_id']) {
    const id = own(value, key);
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}
