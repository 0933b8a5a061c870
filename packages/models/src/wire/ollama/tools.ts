import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ToolSpec,
} from '@forge/core';
import { asList, asText, otherFields } from '../shared/lenient.ts';
import { objectField } from '../shared/provider-fields.ts';
import { ollamaFields, withOllamaFields } from './own-fields.ts';

const noParameters = { type: 'object', properties: {} };
const toolFields = new Set(['type', 'function']);
const functionFields = new Set(['name', 'description', 'parameters', 'strict']);

/** Functions become tools; an entry that is none rides along. */
export function decodeTools(value: JsonValue | undefined): {
  tools: ToolSpec[];
  others: JsonObject[];
} {
  const tools: ToolSpec[] = [];
  const others: JsonObject[] = [];
  for (const entry of asList(value)) {
    if (!isJsonObject(entry)) continue;
    const target = entry.function;
    if (!isJsonObject(target)) {
      others.push(entry);
      continue;
    }
    tools.push({
      name: asText(target.name) ?? '',
      description: asText(target.description) ?? '',
      inputSchema: isJsonObject(target.parameters) ? target.parameters : noParameters,
      ...withStrictness(
        target.strict,
        withOllamaFields({
          tool: otherFields(entry, toolFields),
          function: otherFields(target, functionFields),
        }),
      ),
    });
  }
  return { tools, others };
}

export function encodeTool(tool: ToolSpec): JsonObject {
  const fields = ollamaFields(tool);
  return {
    ...objectField(fields, 'tool'),
    type: 'function',
    function: {
      ...objectField(fields, 'function'),
      name: tool.name,
      description: tool.description,
      parameters: encodeParameters(tool.inputSchema),
      ...(typeof tool.provider?.strict === 'boolean' && { strict: tool.provider.strict }),
    },
  };
}

/** Ollama ignores strictness; servers that speak its wire before others pass it on. */
function withStrictness(strict: JsonValue | undefined, kept: { provider?: JsonObject }) {
  return typeof strict === 'boolean' ? { provider: { strict, ...kept.provider } } : kept;
}

/**
 * Ollama reads parameters into a fixed shape and refuses the whole request if they do not fit:
 * the type must be one word, properties must be there, and a property must be an object.
 */
function encodeParameters(schema: JsonSchema): JsonObject {
  if (!isJsonObject(schema)) return noParameters;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const isPlain = Object.values(properties).every((property) => isJsonObject(property));
  return {
    ...schema,
    type: typeof schema.type === 'string' ? schema.type : 'object',
    properties: isPlain
      ? properties
      : Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [
            name,
            isJsonObject(property) ? property : {},
          ]),
        ),
  };
}
