import { isJsonObject, type JsonSchema } from '@forge/core';

const usual = ['command', 'cmd', 'path', 'file_path', 'url', 'query'];

/**
 * The argument a pattern without a name is about: of those that are required and text, the one with
 * a usual name (`command`, `path`, `url`, `query`), else the first; where none is required, one that
 * has a usual name. Taken from the schema, never
 * from the arguments, which are the model's words.
 */
export function mainArgument(schema: JsonSchema): string | undefined {
  if (typeof schema !== 'object') return undefined;
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return undefined;
  const texts = Object.keys(properties).filter((name) => isText(properties[name]));
  const needed = Array.isArray(required) ? texts.filter((name) => required.includes(name)) : [];
  const named = (names: readonly string[]) => usual.find((name) => names.includes(name));
  return named(needed) ?? needed[0] ?? named(texts);
}

/** Whether an argument of that name says by itself what a call does, whatever the others are. */
export function isTelling(argument: string): boolean {
  return usual.includes(argument);
}

function isText(property: unknown): boolean {
  return isJsonObject(property) && property.type === 'string';
}
