import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  neutralise,
  type ToolSpec,
} from '@forge/core';
import type { McpToolDefinition } from './mcp-tool-definition.ts';

const longestDescription = 4_000;
/** Values here are compared with arguments, so they stay as they are. */
const literal = new Set(['const', 'enum', 'default', 'examples']);
/** Keys below these are names that the server chose, and none of ours, whatever they are. */
const named = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);
const words = new Set(['description', 'title', '$comment']);

const specs = new WeakMap<McpToolDefinition, ToolSpec>();

/**
 * A server's tool as a model is told of it. The words are the server's, made free of characters
 * that people cannot see and models can. The same object for the same definition and name, so that
 * its schema is compiled once.
 */
export function shownDefinition(
  server: string,
  name: string,
  definition: McpToolDefinition,
): ToolSpec {
  const known = specs.get(definition);
  if (known?.name === name) return known;
  const spec = describe(server, name, definition);
  specs.set(definition, spec);
  return spec;
}

function describe(
  server: string,
  name: string,
  { title, description, inputSchema, annotations }: McpToolDefinition,
): ToolSpec {
  const about = neutralise(description ?? title ?? annotations?.title ?? '');
  const short =
    about.length > longestDescription ? `${about.slice(0, longestDescription)}…` : about;
  return {
    name,
    description: `${short}\n(A tool of the MCP server "${server}".)`.trim(),
    inputSchema: cleanObject(inputSchema),
  };
}

function cleanObject(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, cleanField(key, value)]),
  );
}

function cleanField(key: string, value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    return words.has(key) ? neutralise(value) : value;
  }
  if (named.has(key) && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, cleanValue(schema)]),
    );
  }
  return literal.has(key) ? value : cleanValue(value);
}

function cleanValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(cleanValue);
  return isJsonObject(value) ? cleanObject(value) : value;
}
