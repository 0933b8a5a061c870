import { ForgeError } from '../errors.ts';
import type { ToolSpec } from '../models.ts';
import { type CompiledSchema, compileSchema } from '../schema/compile-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { Tool } from './define-tool.ts';

/**
 * A tool that somebody else defined and runs, known by its spec alone: a tool in a client's
 * request. A schema we cannot read is no reason to refuse the tool, as the other side may well
 * accept it: its arguments then only have to be an object.
 */
export function externalTool(
  spec: ToolSpec,
  compile: (schema: JsonSchema) => CompiledSchema = compileSchema,
): Tool {
  return {
    spec,
    schema: compileLeniently(spec.inputSchema, compile),
    refine: () => [],
    prerequisites: [],
    idempotent: false,
    needsApproval: () => false,
    triggers: true,
  };
}

function compileLeniently(
  schema: JsonSchema,
  compile: (schema: JsonSchema) => CompiledSchema,
): CompiledSchema {
  try {
    return compile(schema);
  } catch (error) {
    if (ForgeError.is(error, 'invalid_schema')) return compile({ type: 'object' });
    throw error;
  }
}
