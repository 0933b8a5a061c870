import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

/** The JSON Schema of what belongs at a path. Undefined where the schema says nothing about it. */
export function schemaNodeAt(
  root: JsonObject,
  path: readonly PropertyKey[],
): JsonObject | undefined {
  let node: JsonObject | undefined = root;
  for (const step of path) {
    const below: JsonObject | undefined = choicesOf(node)
      .map((choice) => (typeof step === 'number' ? choice.items : childOf(choice, String(step))))
      .find(isJsonObject);
    if (below === undefined) return undefined;
    node = below;
  }
  return node;
}

/** The shapes a value may have there: one, or those of a union. */
export function choicesOf(node: JsonObject | undefined): readonly JsonObject[] {
  if (node === undefined) return [];
  return Array.isArray(node.anyOf) ? node.anyOf.filter(isJsonObject).flatMap(choicesOf) : [node];
}

function childOf(node: JsonObject, key: string): JsonValue | undefined {
  if (isJsonObject(node.properties) && Object.hasOwn(node.properties, key)) {
    return node.properties[key];
  }
  return node.additionalProperties;
}

/** The keys a block may have; empty where it may have any. */
export function keysOf(node: JsonObject | undefined): readonly string[] {
  const keys = choicesOf(node).flatMap(({ properties }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  );
  return [...new Set(keys)];
}

/** What a person has to write there. */
export function expectedAt(node: JsonObject | undefined): string {
  if (node === undefined) return 'something else';
  if (typeof node.expected === 'string') return node.expected;
  if (Array.isArray(node.anyOf)) return [...new Set(choicesOf(node).map(expectedAt))].join(', or ');
  if (Array.isArray(node.enum)) return `one of ${node.enum.join(', ')}`;
  if (node.const !== undefined) return JSON.stringify(node.const);
  switch (node.type) {
    case 'integer':
      return `a whole number${range(node)}`;
    case 'number':
      return `a number${range(node)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'text';
    case 'array':
      return `a list, each item ${expectedAt(isJsonObject(node.items) ? node.items : undefined)}`;
    case 'object': {
      const keys = keysOf(node);
      return keys.length === 0 ? 'a block of names' : `a block with ${keys.join(', ')}`;
    }
    default:
      return 'something else';
  }
}

/** Bounds no person would think of are not worth a word. */
function range({ minimum, maximum }: JsonObject): string {
  const least = typeof minimum === 'number' && minimum > -1e15 ? minimum : undefined;
  const most = typeof maximum === 'number' && maximum < 1e15 ? maximum : undefined;
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}
