import { LimitExceeded, startBudget } from './budget.ts';
import { describeValue } from './describe-value.ts';
import { invalidSchema } from './invalid-schema.ts';
import { IssueSink, type SchemaIssue } from './issue-sink.ts';
import type { JsonSchema } from './json-schema.ts';
import { isSchema } from './keyword-reader.ts';
import { nodeAccepts } from './node-accepts.ts';
import { readSchema } from './read-schema.ts';
import type { SchemaNode } from './schema-node.ts';

export type { SchemaIssue } from './issue-sink.ts';

const DEFAULT_ISSUES = 10;

/** A schema made ready to check values. Neither method throws, whatever the value. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /**
   * Whether the value fits. Makes no garbage, but for `unevaluated…`, `uniqueItems` over
   * structures and numbers that need decimal arithmetic. A value too deep or too costly to check
   * does not fit.
   */
  accepts(value: unknown): boolean;
  /** Why it does not fit: empty if, and only if, `accepts` says yes. */
  issues(value: unknown, limit?: number): SchemaIssue[];
  /** The schema as read and linked, for repairs and examples. */
  readonly root: SchemaNode;
}

const compiled = new WeakMap<object, CompiledSchema>();
const anything = compile(true);
const nothing = compile(false);

/**
 * Compiles a JSON Schema (2020-12, or draft-07 and before) to plain closures: no code is
 * generated, so it runs where `eval` is forbidden. The same object is compiled once; it must not
 * change afterwards. Throws `invalid_schema` with the place and the fix.
 *
 * `format`, `default` and the like do not take part in checking. `$ref` reaches within the
 * document only.
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  if (!isSchema(schema)) {
    throw invalidSchema('#', `must be an object or a boolean, but is ${describeValue(schema)}.`);
  }
  if (typeof schema === 'boolean') return schema ? anything : nothing;
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const fresh = compile(schema);
  compiled.set(schema, fresh);
  return fresh;
}

function compile(schema: JsonSchema): CompiledSchema {
  const root = readSchema(schema);
  return {
    schema,
    root,
    accepts: (value) => nodeAccepts(root, value),
    issues(value, limit = DEFAULT_ISSUES) {
      if (nodeAccepts(root, value)) return [];
      return explainNode(root, value, Math.max(1, limit));
    },
  };
}

function explainNode(node: SchemaNode, value: unknown, limit: number): SchemaIssue[] {
  const sink = new IssueSink(limit);
  startBudget(node.budget);
  let reason = 'it takes too long to be checked';
  try {
    node.explain(value, sink);
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    reason = error.limit;
  }
  if (sink.issues.length > 0) return sink.issues;
  return [{ path: [], keyword: 'limit', message: `cannot be accepted: ${reason}. Send less.` }];
}
