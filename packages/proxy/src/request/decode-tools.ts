import { isJsonObject, type JsonObject, type ToolSpec } from '@forge/core';
import { ModelError, type Wire } from '@forge/models';

export interface OfferedTools {
  /** Functions with a schema, each name once. */
  readonly specs: readonly ToolSpec[];
  /**
   * Names of what is offered beside them and has no schema of ours: a server's own tools, `custom`
   * ones, functions in a namespace. A call to one of these is not unknown, and not ours to check.
   */
  readonly others: ReadonlySet<string>;
}

/** The least each wire takes as a request. */
const bodies: Readonly<Record<Wire['name'], (tools: unknown) => unknown>> = {
  'openai-chat': (tools) => ({ model: 'x', messages: [], ...chatTools(tools) }),
  'openai-responses': (tools) => ({ model: 'x', input: [], tools }),
  'anthropic-messages': (tools) => ({ model: 'x', messages: [], tools }),
  gemini: (tools) => ({ contents: [], tools }),
  ollama: (tools) => ({ model: 'x', messages: [], tools }),
};

/**
 * The tools of a request, by the wire's own reading of them. Of two with one name the first
 * counts, and one without a name cannot be called. Throws `ModelError('bad_request')` for what
 * the wire cannot read.
 */
export function decodeTools(wire: Wire, json: string): OfferedTools {
  const request = wire.decodeRequest(bodies[wire.name](parse(json)));
  const specs = new Map<string, ToolSpec>();
  for (const spec of request.tools) {
    if (spec.name !== '' && !specs.has(spec.name)) specs.set(spec.name, spec);
  }
  const { tools, server_tools } = request.extra;
  const others = new Set<string>();
  for (const entry of [...listOf(tools), ...listOf(server_tools)]) addNames(others, entry);
  for (const name of specs.keys()) others.delete(name);
  return { specs: [...specs.values()], others };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ModelError(
      { kind: 'bad_request', message: 'The tools of the request are not valid JSON.' },
      { cause: error },
    );
  }
}

/** Functions as they were before tools had types have a field of their own on this wire. */
function chatTools(tools: unknown): JsonObject | { readonly tools: unknown } {
  const isOld = Array.isArray(tools) && tools.length > 0 && tools.every(isUntypedFunction);
  return isOld ? { functions: tools } : { tools };
}

function isUntypedFunction(tool: unknown): boolean {
  return (
    isJsonObject(tool) &&
    typeof tool.name === 'string' &&
    tool.type === undefined &&
    tool.function === undefined
  );
}

/**
 * Wires name such a tool in different places: itself, in the object of its kind (`custom`), or
 * only by its kind. A namespace holds tools of its own. An Anthropic entry is `{ at, tool }`.
 */
function addNames(names: Set<string>, entry: unknown): void {
  if (!isJsonObject(entry)) return;
  const tool = isJsonObject(entry.tool) ? entry.tool : entry;
  const inner = isJsonObject(tool.custom) ? tool.custom : tool.function;
  const name = tool.name ?? (isJsonObject(inner) ? inner.name : undefined) ?? tool.type;
  if (typeof name === 'string') names.add(name);
  for (const nested of listOf(tool.tools)) {
    if (isJsonObject(nested) && typeof nested.name === 'string') names.add(nested.name);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
