import { isJsonObject } from '../json.ts';
import { ANY_TYPE, typeOf } from './json-type.ts';
import { nodeAccepts } from './node-accepts.ts';
import { hasOwn } from './object-check.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * All schemas that speak about one value at once, laid side by side: references followed, `allOf`
 * opened, the branch of an `if` that applies taken. Unions stay closed: which branch was meant is
 * a question of its own.
 */
export interface Facets {
  readonly nodes: readonly SchemaNode[];
  readonly unions: readonly (readonly SchemaNode[])[];
}

export function facetsOf(start: readonly SchemaNode[], value: unknown): Facets {
  const nodes = new Set<SchemaNode>();
  const unions: (readonly SchemaNode[])[] = [];
  const waiting = [...start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (nodes.has(node)) continue;
    nodes.add(node);
    if (node.ref !== undefined) waiting.push(node.ref);
    waiting.push(...node.allOf);
    if (node.anyOf !== undefined) unions.push(node.anyOf);
    if (node.oneOf !== undefined) unions.push(node.oneOf);
    if (node.condition !== undefined) {
      const next = nodeAccepts(node.condition, value) ? node.whenTrue : node.whenFalse;
      if (next !== undefined) waiting.push(next);
    }
    if (node.dependentSchemas === undefined || !isJsonObject(value)) continue;
    for (const [name, each] of node.dependentSchemas) if (hasOwn(value, name)) waiting.push(each);
  }
  return { nodes: [...nodes], unions };
}

/** The types every one of these schemas allows. */
export function typesOf(nodes: readonly SchemaNode[]): number {
  let types = ANY_TYPE;
  for (const node of nodes) {
    if (node.source === false) return 0;
    types &= node.types;
    for (const literals of [node.literals, node.moreLiterals]) {
      if (literals !== undefined)
        types &= literals.reduce<number>((all, each) => all | typeOf(each), 0);
    }
  }
  return types;
}

/** The schemas for one property. Throws LimitExceeded for a name too long for a pattern. */
export function nodesForProperty(nodes: readonly SchemaNode[], name: string): SchemaNode[] {
  const found: SchemaNode[] = [];
  for (const { object } of nodes) {
    if (object === undefined) continue;
    const named = object.properties.get(name);
    const matching = object.patterns.filter(({ pattern }) => pattern.matches(name));
    if (named !== undefined) found.push(named);
    found.push(...matching.map(({ node }) => node));
    if (named === undefined && matching.length === 0 && object.additional !== undefined) {
      found.push(object.additional);
    }
  }
  return found;
}

/** The schemas for one item of a list. */
export function nodesForItem(nodes: readonly SchemaNode[], index: number): SchemaNode[] {
  const found: SchemaNode[] = [];
  for (const { array } of nodes) {
    const node = array?.prefix[index] ?? array?.items;
    if (node !== undefined) found.push(node);
  }
  return found;
}
