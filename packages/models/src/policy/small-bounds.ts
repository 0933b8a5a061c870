import { isJsonObject, type JsonSchema, type ToolSpec } from '@forge/core';
import type { ResponseFormat } from '../wire/wire.ts';

/**
 * llama.cpp makes a grammar of every schema and refuses one that repeats something 2,000 times, such
 * as the characters of a text with that `maxLength`: no reply at all then, from whatever model.
 */
export const refusesLargeBounds = /failed to parse grammar|repetitions? exceeds? sane defaults/i;

/** Well below, for the rules of a grammar are as many as the repetitions. */
const largest = 500;
const bounds: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);
/** What stands in these is no schema, and means what it says. */
const values: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);
/** Deeper than anybody nests. */
const deepest = 200;

interface Shaped {
  readonly tools: readonly ToolSpec[];
  readonly responseFormat?: ResponseFormat | null | undefined;
}

/**
 * The request without the large bounds of its schemas, which whoever checks the reply still knows. The
 * very same object if there are none.
 */
export function withSmallBounds<T extends Shaped>(request: T): T {
  const { responseFormat: format } = request;
  const tools = request.tools.map(relaxTool);
  const hasSameTools = tools.every((tool, at) => tool === request.tools[at]);
  const relaxed = format?.type === 'json_schema' ? relax(format.schema) : undefined;
  const hasSameFormat = format?.type !== 'json_schema' || relaxed === format.schema;
  if (hasSameTools && hasSameFormat) return request;
  return {
    ...request,
    ...(!hasSameTools && { tools }),
    ...(!hasSameFormat && { responseFormat: { ...format, schema: relaxed } }),
  };
}

const relaxedTools = new WeakMap<ToolSpec, ToolSpec>();

/** The same tools are offered turn after turn. */
function relaxTool(tool: ToolSpec): ToolSpec {
  let relaxed = relaxedTools.get(tool);
  if (relaxed === undefined) {
    const inputSchema = relax(tool.inputSchema);
    relaxed = inputSchema === tool.inputSchema ? tool : { ...tool, inputSchema };
    relaxedTools.set(tool, relaxed);
  }
  return relaxed;
}

function relax(schema: JsonSchema): JsonSchema {
  const relaxed = walk(schema, 0);
  return typeof relaxed === 'boolean' || isJsonObject(relaxed) ? relaxed : schema;
}

function walk(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => walk(item, depth + 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  let isSame = true;
  const kept: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (bounds.has(key) && typeof item === 'number' && item > largest) {
      isSame = false;
      continue;
    }
    const next = values.has(key) ? item : walk(item, depth + 1);
    if (next !== item) isSame = false;
    kept.push([key, next]);
  }
  return isSame ? value : Object.fromEntries(kept);
}
