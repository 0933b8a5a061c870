import { isJsonObject, type JsonSchema } from '@forge/core';

const usual = ['command', 'cmd', 'path', 'file_path', 'url', 'query'];

/**
 * The argument a pattern without a name is about: of those that are required and text, the one with
 * a usual name (`command`, `path`, `url`, `query`), else the first. Taken from the schema, never
 * from the arguments, which are the model's words.
 */
export function mainArgument(schema: JsonSchema): string | undefined {
  if (typeof schema !== 'object') return undefined;
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return undefined;
  const texts = Object.entries(properties)
    .filter(([name, property]) => required.includes(name) && isText(property))
    .map(([name]) => name);
  return usual.find((name) => texts.includes(name)) ?? texts[0];
}

/** Whether an argument of that name says by itself what a call does, whatever the others are. */
export function isTelling(argument: string): boolean {
  return usual.includes(argument);
}

function isText(property: unknown): boolean {
  return isJsonObject(property) && property.type === 'string';
}
