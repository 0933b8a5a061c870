import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolSpec,
} from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import { asList, asText, otherFields } from '../shared/lenient.ts';
import { objectField } from '../shared/provider-fields.ts';
import { camelKeys } from './camel-keys.ts';
import { fromGeminiSchema } from './from-gemini-schema.ts';
import { geminiFields, withGeminiFields } from './own-fields.ts';
import { toGeminiSchema } from './to-gemini-schema.ts';

/**
 * How a tool's schema is sent: whole, as `parametersJsonSchema`, or in Gemini's OpenAPI part,
 * as `parameters`, for servers that do not know the first.
 */
export type SchemaForm = 'json-schema' | 'openapi';

const noParameters = { type: 'object', properties: {} };
const noParametersText = canonicalJson(noParameters);
const declarationFields = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

/** Functions become tools; what else a tool entry holds (search, code execution) rides along. */
export function decodeTools(value: JsonValue | undefined): {
  tools: ToolSpec[];
  others: JsonObject[];
} {
  const tools: ToolSpec[] = [];
  const others: JsonObject[] = [];
  for (const entry of asList(value)) {
    if (!isJsonObject(entry)) continue;
    const { functionDeclarations, ...rest } = camelKeys(entry);
    for (const declaration of asList(functionDeclarations)) {
      if (isJsonObject(declaration)) tools.push(decodeDeclaration(camelKeys(declaration)));
    }
    if (!isEmpty(rest)) others.push(rest);
  }
  return { tools, others };
}

export function encodeTools(
  tools: readonly ToolSpec[],
  { others, form }: { others: JsonValue | undefined; form: SchemaForm },
): JsonValue[] {
  const functionDeclarations = tools.map((tool) => encodeDeclaration(tool, form));
  return [...(tools.length > 0 ? [{ functionDeclarations }] : []), ...asList(others)];
}

function decodeDeclaration(declaration: JsonObject): ToolSpec {
  const { parameters, parametersJsonSchema } = declaration;
  const isOpenApi = parametersJsonSchema === undefined && isJsonObject(parameters);
  return {
    name: asText(declaration.name) ?? '',
    description: asText(declaration.description) ?? '',
    inputSchema: isOpenApi ? fromGeminiSchema(parameters) : decodeSchema(parametersJsonSchema),
    ...withGeminiFields({
      parameters: isOpenApi ? parameters : undefined,
      declaration: otherFields(declaration, declarationFields),
    }),
  };
}

function decodeSchema(schema: JsonValue | undefined): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  return isJsonObject(schema) ? schema : noParameters;
}

function encodeDeclaration(tool: ToolSpec, form: SchemaForm): JsonObject {
  const fields = geminiFields(tool);
  return {
    ...objectField(fields, 'declaration'),
    name: tool.name,
    description: tool.description,
    ...encodeSchema(tool, { form, given: fields.parameters }),
  };
}

function encodeSchema(
  { inputSchema }: ToolSpec,
  { form, given }: { form: SchemaForm; given: JsonValue | undefined },
): JsonObject {
  if (canonicalJson(inputSchema) === noParametersText) return {};
  if (isJsonObject(given)) return { parameters: given };
  if (form === 'openapi') {
    const parameters = toGeminiSchema(inputSchema);
    return isJsonObject(parameters.properties) ? { parameters } : {};
  }
  return { parametersJsonSchema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' } };
}
