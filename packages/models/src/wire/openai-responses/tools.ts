import { isJsonObject, type JsonObject, type JsonSchema, type ToolSpec } from '@forge/core';
import { objectField, providerWith, unlessEmpty } from './provider-fields.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { functionTool } from './schemas.ts';

/**
 * A function without `strict` is strict on this wire: its schema is rewritten so that nothing is
 * optional. Our tools mean what their schemas say, so they ask not to be.
 */
const strictUnlessTold = false;

const noParameters: JsonSchema = { type: 'object', properties: {} };

/** Functions → tools. Built-in and custom tools are the provider's own and come back as `others`. */
export function decodeTools(
  tools: readonly JsonObject[],
  context: DecodeContext,
): { tools: ToolSpec[]; others: JsonObject[] } {
  const others: JsonObject[] = [];
  const specs: ToolSpec[] = [];
  tools.forEach((tool, index) => {
    if (tool.type === 'function' && typeof tool.name === 'string') {
      specs.push(decodeTool(tool, `tools.${index}`, context));
    } else others.push(tool);
  });
  return { tools: specs, others };
}

export function encodeTool(tool: ToolSpec): JsonObject {
  const { name, description, inputSchema } = tool;
  return {
    type: 'function',
    name,
    ...(description === '' ? {} : { description }),
    parameters: schemaObject(inputSchema),
    strict: strictness(tool),
    ...objectField(tool, 'tool'),
  };
}

function decodeTool(tool: JsonObject, at: string, context: DecodeContext): ToolSpec {
  const { known, rest } = readKnown({ schema: functionTool, body: tool, at, kind: context.kind });
  const { strict } = known;
  // Left out, it is neither: the API decides. That means nothing elsewhere.
  const kept = providerWith(
    unlessEmpty('tool', strict === undefined ? { ...rest, strict: null } : rest),
  );
  const told = strict === undefined || strict === strictUnlessTold ? undefined : strict;
  return {
    name: known.name,
    description: known.description ?? '',
    inputSchema: known.parameters ?? noParameters,
    ...(told === undefined ? kept : { provider: { strict: told, ...kept.provider } }),
  };
}

function strictness({ provider }: ToolSpec): boolean {
  return typeof provider?.strict === 'boolean' ? provider.strict : strictUnlessTold;
}

/** JSON Schema is JSON; `true` and `false` are schemas too, but no server takes them here. */
export function schemaObject(schema: JsonSchema): JsonObject {
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  return isJsonObject(schema) ? schema : {};
}
