import { invalidSchema } from './invalid-schema.ts';
import { inPlace, type SchemaNode } from './schema-node.ts';

/**
 * Refuses a schema that comes back to itself without going into a part of the value: checking it
 * would never end. Walks with a stack of its own, so a long chain is no deep recursion.
 */
export function refuseEndlessReferences(nodes: readonly SchemaNode[]): void {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  for (const start of nodes) {
    const steps = [{ node: start, isLeaving: false }];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { node, isLeaving } = step;
      if (isLeaving) {
        open.delete(node);
        done.add(node);
        continue;
      }
      if (done.has(node)) continue;
      if (open.has(node)) {
        throw invalidSchema(
          node.location,
          'it refers to itself without going into a property or an item, so no value could ever be checked. Remove that "$ref".',
        );
      }
      open.add(node);
      steps.push({ node, isLeaving: true });
      for (const next of inPlace(node)) steps.push({ node: next, isLeaving: false });
    }
  }
}
