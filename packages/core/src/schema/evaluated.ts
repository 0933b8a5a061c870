import type { JsonObject } from '../json.ts';
import { hasOwn } from './object-check.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Adds the properties a schema has spoken of to `names`; true when it has spoken of all. Only for
 * a value the schema accepts. `isSelf` is set where the question comes from the node's own
 * `unevaluatedProperties`, which does not count for itself.
 */
export function evaluatedNames(
  node: SchemaNode,
  value: JsonObject,
  names: Set<string>,
  isSelf = false,
): boolean {
  if (!isSelf && node.unevaluatedProperties !== undefined) return true;
  if (node.object?.additional !== undefined) return true;
  for (const name of node.object?.properties.keys() ?? []) names.add(name);
  for (const { pattern } of node.object?.patterns ?? []) {
    for (const name of Object.keys(value)) if (pattern.matches(name)) names.add(name);
  }
  let all = false;
  for (const each of applied(node, value)) all = evaluatedNames(each, value, names) || all;
  for (const [name, each] of node.dependentSchemas ?? []) {
    if (hasOwn(value, name)) all = evaluatedNames(each, value, names) || all;
  }
  return all;
}

/** The same for the items of a list, by index. */
export function evaluatedIndexes(
  node: SchemaNode,
  value: readonly unknown[],
  indexes: Set<number>,
  isSelf = false,
): boolean {
  if (!isSelf && node.unevaluatedItems !== undefined) return true;
  if (node.array?.items !== undefined) return true;
  for (const index of node.array?.prefix.keys() ?? []) indexes.add(index);
  const contains = node.array?.contains;
  if (contains !== undefined) {
    for (const [index, item] of value.entries()) if (contains.accepts(item)) indexes.add(index);
  }
  let all = false;
  for (const each of applied(node, value)) all = evaluatedIndexes(each, value, indexes) || all;
  return all;
}

/** The schemas on the same value that hold for it. */
function applied(node: SchemaNode, value: unknown): SchemaNode[] {
  const nodes = [...node.allOf];
  if (node.ref !== undefined) nodes.push(node.ref);
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
    if (branch.accepts(value)) nodes.push(branch);
  }
  if (node.condition !== undefined) {
    const holds = node.condition.accepts(value);
    if (holds) nodes.push(node.condition);
    const next = holds ? node.whenTrue : node.whenFalse;
    if (next !== undefined) nodes.push(next);
  }
  return nodes;
}
