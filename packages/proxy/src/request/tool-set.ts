import {
  type CompiledSchema,
  externalTool,
  type Guard,
  type JsonSchema,
  type Tool,
  type ToolSpec,
} from '@forge/core';
import type { OfferedTools } from './decode-tools.ts';

/** The tools of a request, read and compiled once for all requests that offer the same ones. */
export interface ToolSet {
  readonly tools: readonly Tool[];
  readonly specs: readonly ToolSpec[];
  /** Names that may be called though there is nothing to check their calls by. */
  readonly others: ReadonlySet<string>;
  /**
   * The guard made under this key before, or the one `make` makes. Whatever the guard depends on
   * beside the tools belongs in the key.
   */
  guard(key: string, make: (tools: readonly Tool[]) => Guard): Guard;
}

const MOST_GUARDS = 16;

export function createToolSet(
  { specs, others }: OfferedTools,
  compile: (schema: JsonSchema) => CompiledSchema,
): ToolSet {
  const tools = specs.map((spec) => externalTool(spec, compile));
  /** The one asked for last comes last. */
  const guards = new Map<string, Guard>();
  return {
    tools,
    specs,
    others,
    guard(key, make) {
      const guard = guards.get(key) ?? make(tools);
      guards.delete(key);
      guards.set(key, guard);
      if (guards.size > MOST_GUARDS) {
        const [oldest] = guards.keys();
        if (oldest !== undefined) guards.delete(oldest);
      }
      return guard;
    },
  };
}
