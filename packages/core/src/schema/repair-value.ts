import { canonicalJson, isJsonObject, type JsonObject } from '../json.ts';
import { type Conversion, conversionsOf } from './convert-value.ts';
import { isDeeperThan } from './equal-json.ts';
import { type Facets, facetsOf, nodesForItem, nodesForProperty, typesOf } from './facets.ts';
import { NULL, typeOf } from './json-type.ts';
import { nodeAccepts } from './node-accepts.ts';
import type { Repair } from './repair.ts';
import { respellEnum, respellNames } from './respell.ts';
import type { SchemaNode } from './schema-node.ts';

/** What a value became. `value` is the one given, untouched, where nothing was repaired. */
export interface Repaired {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
  /** Whether the schemas accept it now. If not, `value` is as near as it got. */
  readonly fits: boolean;
}

/** Past these, a value is left as it is: repairing must never cost more than asking again. */
const MAX_STEPS = 10_000;
const MAX_DEPTH = 60;
/** Of one value in a row. An `if` may ask for a list of what is none, and the other way round. */
const MAX_CONVERSIONS = 3;
const HOPS_PER_STEP = 50;

/**
 * Repairs a value for schemas that must all hold, where there is exactly one way to do so that
 * neither loses nor invents anything. Of several ways the one with the fewest repairs is taken;
 * if two of those end in different values, neither is. Throws LimitExceeded for a value with
 * parts too large to look at.
 */
export function repairValue(goal: readonly SchemaNode[], value: unknown): Repaired {
  return new Repairer().repair({ goal, path: [] }, value);
}

/** What must hold, and where. */
interface Task {
  readonly goal: readonly SchemaNode[];
  readonly path: readonly (string | number)[];
  /** Conversions this value has been through. */
  readonly conversions?: number;
}

class Repairer {
  #steps = 0;

  repair(task: Task, value: unknown): Repaired {
    if (this.#fits(task, value)) return { value, repairs: [], fits: true };
    if (task.path.length > MAX_DEPTH) return unchanged(value);
    return this.#chooseBranches(task, facetsOf(task.goal, value), value);
  }

  /** Opens the first union left; with none left, all schemas for the value are known. */
  #chooseBranches(task: Task, { nodes, unions }: Facets, value: unknown): Repaired {
    const [union, ...others] = unions;
    if (union === undefined) return this.#repairShape(task, nodes, value);
    const outcomes: (Repaired & { branch: SchemaNode })[] = [];
    for (const branch of union) {
      if (this.#isSpent()) return unchanged(value);
      const more = facetsOf([branch], value);
      const facets = { nodes: [...nodes, ...more.nodes], unions: [...others, ...more.unions] };
      const outcome = this.#chooseBranches(
        { ...task, goal: [...task.goal, branch] },
        facets,
        value,
      );
      outcomes.push({ ...outcome, branch });
    }
    const notNull = outcomes.filter(({ branch }) => branch.types !== NULL);
    return fewestRepairs(outcomes) ?? onlyOne(notNull) ?? unchanged(value);
  }

  #repairShape(task: Task, nodes: readonly SchemaNode[], value: unknown): Repaired {
    const due = typesOf(nodes);
    if (typeOf(value) & due) return this.#repairParts(task, nodes, value);
    const { conversions = 0 } = task;
    if (conversions >= MAX_CONVERSIONS) return unchanged(value);
    const next = { ...task, conversions: conversions + 1 };
    const outcomes = conversionsOf(value, due).map((way) => ({ way, ...this.#convert(next, way) }));
    const readings = outcomes.filter(({ way }) => !changesOnlyNesting(way));
    return fewestRepairs(outcomes) ?? onlyOne(readings) ?? unchanged(value);
  }

  /** What was converted may need more: another type (a list of one text for a number), its parts. */
  #convert(task: Task, { value, kind, message }: Conversion): Repaired {
    const repair: Repair = { path: task.path, kind, message };
    if (this.#fits(task, value)) return { value, repairs: [repair], fits: true };
    if (this.#isSpent()) return unchanged(value);
    const rest = this.#repairShape(task, facetsOf(task.goal, value).nodes, value);
    return { ...rest, repairs: [repair, ...rest.repairs] };
  }

  #repairParts(task: Task, nodes: readonly SchemaNode[], value: unknown): Repaired {
    const repairs: Repair[] = [];
    let result = value;
    if (typeof value === 'string') {
      result = respellEnum({ nodes, path: task.path, repairs }, value);
    } else if (Array.isArray(value)) {
      result = value.map((item, index) => {
        const goal = nodesForItem(nodes, index);
        return this.#repairPart({ goal, path: [...task.path, index] }, item, repairs);
      });
    } else if (isJsonObject(value)) {
      result = this.#repairProperties(task, { nodes, value, repairs });
    }
    if (repairs.length === 0) return unchanged(value);
    return { value: result, repairs, fits: this.#fits(task, result) };
  }

  /** `Object.fromEntries` defines properties, so a name like `__proto__` is only a name. */
  #repairProperties(
    { path }: Task,
    {
      nodes,
      value,
      repairs,
    }: { nodes: readonly SchemaNode[]; value: JsonObject; repairs: Repair[] },
  ): unknown {
    const entries: [string, unknown][] = [];
    for (const [name, part] of respellNames({ nodes, path, repairs }, value)) {
      const task = { goal: nodesForProperty(nodes, name), path: [...path, name] };
      if (part === null && isOptional(nodes, name) && !this.#fits(task, null)) {
        const message = `left out ${JSON.stringify(name)}, which was null`;
        repairs.push({ path: task.path, kind: 'null_dropped', message });
        continue;
      }
      entries.push([name, this.#repairPart(task, part, repairs)]);
    }
    return Object.fromEntries(entries);
  }

  #repairPart(task: Task, part: unknown, repairs: Repair[]): unknown {
    if (this.#isSpent()) return part;
    const outcome = this.repair(task, part);
    repairs.push(...outcome.repairs);
    return outcome.value;
  }

  #fits({ goal }: Task, value: unknown): boolean {
    return goal.every((node) => {
      const isAccepted = nodeAccepts(node, value);
      this.#steps += 1 + node.budget.hops / HOPS_PER_STEP;
      return isAccepted;
    });
  }

  #isSpent(): boolean {
    this.#steps += 1;
    return this.#steps > MAX_STEPS;
  }
}

/** Declared, and not required. */
function isOptional(nodes: readonly SchemaNode[], name: string): boolean {
  const rules = nodes.flatMap(({ object }) => (object === undefined ? [] : [object]));
  if (!rules.some(({ properties }) => properties.has(name))) return false;
  return !rules.some(({ required }) => required.includes(name));
}

/** Putting a value into a list, or taking it out, only makes sense if that is the end of it. */
function changesOnlyNesting({ kind }: Conversion): boolean {
  return kind === 'value_to_list' || kind === 'list_to_value';
}

function unchanged(value: unknown): Repaired {
  return { value, repairs: [], fits: false };
}

function onlyOne(outcomes: readonly Repaired[]): Repaired | undefined {
  return outcomes.length === 1 ? outcomes[0] : undefined;
}

/** The outcome that fits with the fewest repairs; undefined if none does or two disagree. */
function fewestRepairs(outcomes: readonly Repaired[]): Repaired | undefined {
  const fitting = outcomes.filter(({ fits }) => fits);
  const fewest = Math.min(...fitting.map(({ repairs }) => repairs.length));
  const [first, ...others] = fitting.filter(({ repairs }) => repairs.length === fewest);
  if (first === undefined) return undefined;
  return others.every((other) => isSame(first.value, other.value)) ? first : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isDeeperThan(one, MAX_DEPTH) || isDeeperThan(other, MAX_DEPTH)) return false;
  return canonicalJson(one) === canonicalJson(other);
}
