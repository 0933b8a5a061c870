import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { LimitExceeded } from './budget.ts';
import { compileSchema } from './compile-schema.ts';
import { allUnique } from './equal-json.ts';
import { exampleNumbers, exampleTexts } from './example-scalars.ts';
import { type Facets, facetsOf, nodesForItem, nodesForProperty, typesOf } from './facets.ts';
import type { JsonSchema } from './json-schema.ts';
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING } from './json-type.ts';
import { nodeAccepts } from './node-accepts.ts';
import type { SchemaNode } from './schema-node.ts';

const MAX_DEPTH = 8;
const MAX_STEPS = 2_000;
/** Below this, a list that may be empty is shown with one item. */
const SHOWN_DEPTH = 3;

/**
 * One small right example of a tool's arguments, to show a model: required properties only, and
 * what the schema's author wrote (`const`, `examples`, `default`, `enum`) before anything made
 * up. Fits the schema in all but contrived cases. Throws `invalid_schema`.
 */
export function exampleFromSchema(schema: JsonSchema): JsonObject {
  const { root } = compileSchema(schema);
  try {
    const example = new ExampleMaker().make([root], { depth: 0, index: 0 });
    return isJsonObject(example) ? example : {};
  } catch (error) {
    if (error instanceof LimitExceeded) return {};
    throw error;
  }
}

interface Place {
  readonly depth: number;
  /** Which item of a list it is for, so that items can differ. */
  readonly index: number;
}

class ExampleMaker {
  #steps = 0;

  /** Made a second time where the first shows which branch of an `if` applies. */
  make(goal: readonly SchemaNode[], place: Place): JsonValue {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) return null;
    const written = goal.flatMap((node) => writtenExamples(node)).find((each) => fits(goal, each));
    if (written !== undefined) return written;
    const first = this.#chooseBranches(goal, facetsOf(goal, undefined), place);
    if (fits(goal, first)) return first;
    const second = this.#chooseBranches(goal, facetsOf(goal, first), place);
    return fits(goal, second) ? second : first;
  }

  #chooseBranches(goal: readonly SchemaNode[], { nodes, unions }: Facets, place: Place): JsonValue {
    this.#steps += 1;
    const [union, ...others] = unions;
    if (union === undefined) return this.#shape(goal, nodes, place);
    let first: JsonValue | undefined;
    for (const branch of nullLast(union)) {
      const more = facetsOf([branch], undefined);
      const facets = { nodes: [...nodes, ...more.nodes], unions: [...others, ...more.unions] };
      const example = this.#chooseBranches([...goal, branch], facets, place);
      if (fits(goal, example)) return example;
      first ??= example;
      if (this.#steps > MAX_STEPS) break;
    }
    return first ?? null;
  }

  #shape(goal: readonly SchemaNode[], nodes: readonly SchemaNode[], place: Place): JsonValue {
    const written = nodes.flatMap((node) => writtenExamples(node));
    const literals = nodes.flatMap(({ literals }) => literals ?? []).filter(isJsonValue);
    const ready = [...written, ...rotate(literals, place.index)].find((each) => fits(goal, each));
    if (ready !== undefined) return ready;
    const types = typesOf(nodes);
    const hasProperties = nodes.some(({ object }) => object !== undefined);
    const hasItems = nodes.some(({ array }) => array !== undefined);
    const isRoot = place.depth === 0;
    if (types & OBJECT && (hasProperties || isRoot)) return this.#object(goal, nodes, place);
    if (types & ARRAY && hasItems) return this.#array(goal, nodes, place);
    return this.#scalar(goal, nodes, place) ?? this.#empty(types);
  }

  #scalar(
    goal: readonly SchemaNode[],
    nodes: readonly SchemaNode[],
    { index }: Place,
  ): JsonValue | undefined {
    const types = typesOf(nodes);
    const candidates: JsonValue[] = [];
    if (types & STRING) candidates.push(...exampleTexts(nodes, index));
    if (types & NUMBER) candidates.push(...exampleNumbers(nodes, index));
    if (types & BOOLEAN) candidates.push(index === 0, index !== 0);
    if (types & NULL) candidates.push(null);
    return candidates.find((each) => fits(goal, each)) ?? candidates[0];
  }

  #empty(types: number): JsonValue {
    if (types & OBJECT) return {};
    return types & ARRAY ? [] : null;
  }

  #object(goal: readonly SchemaNode[], nodes: readonly SchemaNode[], { depth }: Place): JsonObject {
    if (depth >= MAX_DEPTH) return {};
    const names = new Set(nodes.flatMap(({ object }) => object?.required ?? []));
    const entries = [...names].map((name) => this.#property(nodes, name, depth));
    const rest = nodes.flatMap(({ object }) => [...(object?.properties.keys() ?? [])]);
    const least = Math.max(0, ...nodes.map(({ object }) => object?.minProperties ?? 0));
    const spare = Array.from({ length: Math.min(least, 20) }, (_, index) => `key${index + 1}`);
    for (const name of [...rest, ...spare]) {
      if (entries.length >= least || fits(goal, Object.fromEntries(entries))) break;
      if (names.has(name)) continue;
      names.add(name);
      entries.push(this.#property(nodes, name, depth));
    }
    return Object.fromEntries(entries);
  }

  #property(nodes: readonly SchemaNode[], name: string, depth: number): [string, JsonValue] {
    return [name, this.make(nodesForProperty(nodes, name), { depth: depth + 1, index: 0 })];
  }

  #array(goal: readonly SchemaNode[], nodes: readonly SchemaNode[], { depth }: Place): JsonValue[] {
    const rules = nodes.flatMap(({ array }) => (array === undefined ? [] : [array]));
    const least = Math.min(100, Math.max(0, ...rules.map(({ minItems }) => minItems)));
    if (depth >= MAX_DEPTH) return [];
    const items: JsonValue[] = [];
    for (const { contains, minContains } of rules) {
      if (contains === undefined) continue;
      for (let index = 0; index < Math.min(minContains, 20); index++) {
        items.push(
          this.make([...nodesForItem(nodes, items.length), contains], { depth: depth + 1, index }),
        );
      }
    }
    while (items.length < least) items.push(this.#item(nodes, items, depth));
    if (items.length > 0 || depth >= SHOWN_DEPTH) return items;
    const one = [this.#item(nodes, items, depth)];
    return fits(goal, one) ? one : items;
  }

  #item(nodes: readonly SchemaNode[], before: readonly JsonValue[], depth: number): JsonValue {
    const goal = nodesForItem(nodes, before.length);
    const item = this.make(goal, { depth: depth + 1, index: 0 });
    if (allUnique([...before, item])) return item;
    return this.make(goal, { depth: depth + 1, index: before.length });
  }
}

/** Null is right and shows nothing. */
function nullLast(branches: readonly SchemaNode[]): SchemaNode[] {
  const isNull = ({ types }: SchemaNode) => types === NULL;
  return [...branches.filter((each) => !isNull(each)), ...branches.filter(isNull)];
}

function fits(goal: readonly SchemaNode[], value: unknown): boolean {
  return goal.every((node) => nodeAccepts(node, value));
}

/** What the author of a schema gave as a value of it. */
function writtenExamples({ source }: SchemaNode): JsonValue[] {
  if (typeof source === 'boolean') return [];
  const examples = Array.isArray(source.examples) ? source.examples : [];
  return [...examples, source.example, source.default].filter(isJsonValue);
}

function rotate(values: readonly JsonValue[], by: number): JsonValue[] {
  const start = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}

/** Schemas are JSON, so what stands in one is too. */
function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
