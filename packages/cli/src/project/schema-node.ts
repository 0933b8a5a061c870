import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

/** The JSON Schema of what belongs at a path. Undefined where the schema says nothing about it. */
export function schemaNodeAt(
  root: JsonObject,
  path: readonly PropertyKey[],
): JsonObject | undefined {
  let node: JsonObject | undefined = root;
  for (const step of path) {
    const below: JsonValue | undefined =
      typeof step === 'number' ? node?.items : childOf(node, String(step));
    if (!isJsonObject(below)) return undefined;
    node = below;
  }
  return node;
}

function childOf(node: JsonObject | undefined, key: string): JsonValue | undefined {
  const known = keysOf(node);
  if (known.includes(key)) return isJsonObject(node?.properties) ? node.properties[key] : undefined;
  return node?.additionalProperties;
}

/** The keys a block may have; empty where it may have any. */
export function keysOf(node: JsonObject | undefined): readonly string[] {
  return isJsonObject(node?.properties) ? Object.keys(node.properties) : [];
}

/** What a person has to write there. */
export function expectedAt(node: JsonObject | undefined): string {
  if (node === undefined) return 'something else';
  if (typeof node.expected === 'string') return node.expected;
  if (Array.isArray(node.enum)) return `one of ${node.enum.join(', ')}`;
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
