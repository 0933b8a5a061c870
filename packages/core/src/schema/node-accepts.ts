import { LimitExceeded, startBudget } from './budget.ts';
import type { SchemaNode } from './schema-node.ts';

/** `node.accepts` under a fresh budget: false when it is spent, so it never throws. */
export function nodeAccepts(node: SchemaNode, value: unknown): boolean {
  startBudget(node.budget);
  try {
    return node.accepts(value);
  } catch (error) {
    if (error instanceof LimitExceeded) return false;
    throw error;
  }
}
