import type { Budget } from './budget.ts';
import type { IssueSink } from './issue-sink.ts';
import type { JsonSchema } from './json-schema.ts';
import { ANY_TYPE } from './json-type.ts';
import type { Pattern } from './pattern.ts';

export interface StringRules {
  readonly minLength: number;
  readonly maxLength: number;
  readonly pattern: Pattern | undefined;
}

export interface NumberRules {
  readonly minimum: number;
  readonly maximum: number;
  readonly exclusiveMinimum: number;
  readonly exclusiveMaximum: number;
  readonly multipleOf: number | undefined;
}

export interface ArrayRules {
  readonly prefix: readonly SchemaNode[];
  /** For the items after the prefix. */
  readonly items: SchemaNode | undefined;
  readonly contains: SchemaNode | undefined;
  readonly minContains: number;
  readonly maxContains: number;
  readonly minItems: number;
  readonly maxItems: number;
  readonly uniqueItems: boolean;
}

export interface ObjectRules {
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly { readonly pattern: Pattern; readonly node: SchemaNode }[];
  /** For properties no name and no pattern speaks of. */
  readonly additional: SchemaNode | undefined;
  readonly required: readonly string[];
  readonly dependentRequired: ReadonlyMap<string, readonly string[]>;
  readonly propertyNames: SchemaNode | undefined;
  readonly minProperties: number;
  readonly maxProperties: number;
}

/** What a check of a whole value is made of: a yes or no, and the reasons for a no. */
export interface Check<T = unknown> {
  /** Throws LimitExceeded when the budget is spent. */
  accepts(value: T): boolean;
  /** Adds at least one issue if, and only if, `accepts` says no. */
  explain(value: T, sink: IssueSink): void;
}

/**
 * One schema, read and linked: references point at the node they mean, so a recursive schema is
 * a cyclic graph. The checks, the repairs and the examples all walk this one structure.
 */
export class SchemaNode implements Check {
  readonly source: JsonSchema;
  /** Where it stands in the document, as a JSON pointer: for error messages. */
  readonly location: string;
  /** How many schemas it stands inside of. */
  readonly depth: number;
  readonly budget: Budget;

  /** The types allowed by `type` and `nullable` here, not counting other keywords. */
  types = ANY_TYPE;
  /** True where `nullable` stands without `type`: null is then right whatever else is said. */
  alsoNull = false;
  /** The values allowed by `enum` or `const`. */
  literals: readonly unknown[] | undefined = undefined;
  /** A second list, where a schema says both `enum` and `const`. */
  moreLiterals: readonly unknown[] | undefined = undefined;
  string: StringRules | undefined = undefined;
  number: NumberRules | undefined = undefined;
  array: ArrayRules | undefined = undefined;
  object: ObjectRules | undefined = undefined;

  ref: SchemaNode | undefined = undefined;
  allOf: readonly SchemaNode[] = [];
  anyOf: readonly SchemaNode[] | undefined = undefined;
  oneOf: readonly SchemaNode[] | undefined = undefined;
  not: SchemaNode | undefined = undefined;
  /** `if`, `then` and `else`, by other names: an object with a `then` looks like a promise. */
  condition: SchemaNode | undefined = undefined;
  whenTrue: SchemaNode | undefined = undefined;
  whenFalse: SchemaNode | undefined = undefined;
  dependentSchemas: ReadonlyMap<string, SchemaNode> | undefined = undefined;
  unevaluatedProperties: SchemaNode | undefined = undefined;
  unevaluatedItems: SchemaNode | undefined = undefined;

  accepts: (value: unknown) => boolean = notBuilt;
  explain: (value: unknown, sink: IssueSink) => void = notBuilt;

  constructor(source: JsonSchema, place: { location: string; depth: number; budget: Budget }) {
    this.source = source;
    this.location = place.location;
    this.depth = place.depth;
    this.budget = place.budget;
  }
}

function notBuilt(): never {
  throw new Error('a schema node was used before its checks were built');
}

/** The schemas a node lays on the very same value, not on a part of it. */
export function inPlace(node: SchemaNode): SchemaNode[] {
  const nodes = [...node.allOf, ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  for (const each of [node.ref, node.not, node.condition, node.whenTrue, node.whenFalse]) {
    if (each !== undefined) nodes.push(each);
  }
  if (node.dependentSchemas !== undefined) nodes.push(...node.dependentSchemas.values());
  return nodes;
}
