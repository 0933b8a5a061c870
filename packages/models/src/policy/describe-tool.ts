import { isJsonObject, type JsonValue, type ToolSpec } from '@forge/core';

/**
 * A tool in few words, for a reply that is held to its schema anyway: a weak model chooses better
 * from a short list than from JSON Schema. What is not plain is still shown as a schema.
 */
export function describeTool({ name, description, inputSchema }: ToolSpec): string {
  const properties = plainProperties(inputSchema);
  const args =
    properties === undefined
      ? `Arguments, as JSON Schema: ${JSON.stringify(inputSchema)}`
      : properties.map(describeArgument).join('\n');
  return [`## ${name}`, description, args].filter((part) => part !== '').join('\n');
}

interface Argument {
  readonly name: string;
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** What an object of that schema may hold, or undefined where the schema says it another way. */
function plainProperties(schema: unknown): Argument[] | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).some((key) => !plainKeys.has(key))) {
    return undefined;
  }
  const { properties = {}, required = [] } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return undefined;
  return Object.entries(properties).map(([name, each]) => ({
    name,
    schema: each,
    isRequired: required.includes(name),
  }));
}

const plainKeys: ReadonlySet<string> = new Set([
  '$schema',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
]);

function describeArgument({ name, schema, isRequired }: Argument): string {
  const { description, title: _, ...rest } = isJsonObject(schema) ? schema : {};
  const kind = isJsonObject(schema) ? kindOf(rest) : JSON.stringify(schema);
  const what = typeof description === 'string' ? `: ${description}` : '';
  return `- ${name} (${kind}${isRequired ? '' : ', optional'})${what}`;
}

/** `string`, `"on" | "off"`, or the schema where there is more to it. */
function kindOf(schema: Readonly<Record<string, JsonValue>>): string {
  const { type, enum: values, ...more } = schema;
  if (Object.keys(more).length > 0) return JSON.stringify(schema);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  return typeof type === 'string' ? type : JSON.stringify(schema);
}
