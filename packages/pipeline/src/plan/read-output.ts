import type { CompiledSchema, JsonValue, ProgramCall } from '@forge/core';

export type Output =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

const longest = 4_000_000;
/** What compares, writes and shows a value calls itself for each level. */
const mostDepth = 100;
const longestReason = 2_000;
const mostIssues = 5;

/** A program is asked again after each result, and finds all the earlier ones: they are read once. */
const known = new WeakMap<CompiledSchema, { outputs: Map<string, Output>; size: number }>();
const mostKept = 8_000_000;

/**
 * What came of a call that has ended: the JSON of its text, or the text itself where the schema
 * takes a text. Anything else is a failure with its reason.
 */
export function readOutput({ status, text }: ProgramCall, schema: CompiledSchema): Output {
  if (status !== 'ok') return { ok: false, reason: cut(text.replace(/^\[ToolError\] /, '')) };
  let kept = known.get(schema);
  const before = kept?.outputs.get(text);
  if (before !== undefined) return before;
  const output = read(text, schema);
  if (kept === undefined || kept.size + text.length > mostKept) {
    kept = { outputs: new Map(), size: 0 };
    known.set(schema, kept);
  }
  kept.outputs.set(text, output);
  kept.size += text.length;
  return output;
}

function read(text: string, schema: CompiledSchema): Output {
  if (text.length > longest) {
    return { ok: false, reason: `its output is longer than ${longest} characters` };
  }
  let value: JsonValue | undefined;
  let problem = '';
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    problem = `its output is not JSON: ${error instanceof Error ? error.message : 'not readable'}`;
  }
  if (isDeeper(value, mostDepth)) {
    return { ok: false, reason: `its output is nested more than ${mostDepth} deep` };
  }
  if (value !== undefined && schema.accepts(value)) return { ok: true, value };
  if (schema.accepts(text)) return { ok: true, value: text };
  if (value !== undefined) problem = `its output does not fit: ${issuesOf(schema, value)}`;
  return { ok: false, reason: cut(problem) };
}

/** Whether lists and objects are nested more than so deep. Goes level by level: it has no stack to overflow. */
function isDeeper(value: JsonValue | undefined, most: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= most; depth++) {
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** What does not fit, in a line. */
export function issuesOf(schema: CompiledSchema, value: unknown): string {
  return schema
    .issues(value, mostIssues)
    .map(({ path, message }) => `${path.length === 0 ? 'it' : path.join('.')} ${message}`)
    .join('; ');
}

export function cut(text: string): string {
  return text.length > longestReason ? `${text.slice(0, longestReason)}…` : text;
}
