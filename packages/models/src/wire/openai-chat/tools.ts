import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ToolChoice,
  type ToolSpec,
} from '@forge/core';
import * as z from 'zod';
import { isEmpty, objectOf } from '../shared/json-fields.ts';
import { jsonValue } from '../shared/schema-atoms.ts';
import type { ChatDialect } from './dialect.ts';
import { fromProvider, ownFields, toProvider } from './provider-fields.ts';

const functionShape = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: jsonValue.nullish(),
});

const functionToolShape = z.looseObject({
  type: z.literal('function').nullish(),
  function: functionShape,
});

/** A tool, or one of a kind this codec has no word for (`custom`, a server's own). */
export const toolShape = z.union([
  functionToolShape,
  z.looseObject({ type: z.string().refine((type) => type !== 'function') }),
]);

/** Tools as they were before they had types. */
export const legacyFunctionShape = functionShape;

type WireTool = z.infer<typeof toolShape>;
type WireFunctionTool = z.infer<typeof functionToolShape>;

const noParameters: JsonSchema = { type: 'object', properties: {} };

export function decodeTools(tools: readonly WireTool[]): {
  readonly tools: ToolSpec[];
  readonly others: JsonValue[];
} {
  return {
    tools: tools.filter(isFunctionTool).map(decodeTool),
    others: tools.filter((tool) => !isFunctionTool(tool)).map(objectOf),
  };
}

function isFunctionTool(tool: WireTool): tool is WireFunctionTool {
  return functionToolShape.safeParse(tool).success;
}

function decodeTool(tool: WireFunctionTool): ToolSpec {
  const { type: _, function: definition, ...rest } = tool;
  return decodeFunction(definition, objectOf(rest));
}

export function decodeFunction(
  definition: z.infer<typeof functionShape>,
  outer: JsonObject = {},
): ToolSpec {
  const { name, description, parameters, strict, ...inner } = definition;
  const kept = {
    ...outer,
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(isEmpty(objectOf(inner)) ? {} : { function: objectOf(inner) }),
  };
  return {
    name,
    description: description ?? '',
    inputSchema: isSchema(parameters) ? parameters : noParameters,
    ...toProvider(kept),
  };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

export function encodeTool(tool: ToolSpec, dialect: ChatDialect): JsonObject {
  const { strict, function: inner, ...outer } = fromProvider(tool.provider, dialect);
  return {
    ...outer,
    type: 'function',
    function: {
      ...objectOf(inner ?? ownFields(tool.provider).function),
      name: tool.name,
      ...(tool.description === '' ? {} : { description: tool.description }),
      parameters: encodeSchema(tool.inputSchema),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

/** The kernel does not look into schemas; this wire asks for an object. */
export function encodeSchema(schema: JsonSchema): JsonValue {
  if (isJsonObject(schema)) return schema;
  return schema === true ? {} : { not: {} };
}

const choiceShape = z.union([
  z.enum(['auto', 'none', 'required']),
  z.literal('any').transform(() => 'required' as const),
  z
    .looseObject({
      type: z.literal('function').nullish(),
      function: z.looseObject({ name: z.string() }),
    })
    .transform((choice) => ({ tool: choice.function.name })),
  z
    .looseObject({ type: z.literal('function'), name: z.string() })
    .transform((choice) => ({ tool: choice.name })),
  // Calls as they were before they had types.
  z.strictObject({ name: z.string() }).transform((choice) => ({ tool: choice.name })),
]);

/** `undefined` for forms this codec has no word for (`allowed_tools`, `custom`). */
export function decodeToolChoice(choice: JsonValue): ToolChoice | undefined {
  const read = choiceShape.safeParse(choice);
  return read.success ? read.data : undefined;
}

export function encodeToolChoice(choice: ToolChoice): JsonValue {
  return typeof choice === 'string'
    ? choice
    : { type: 'function', function: { name: choice.tool } };
}
