import { isJsonObject } from '../json.ts';
import { EXPLAIN_HOPS, enterReference } from './budget.ts';
import { describeLiteral, describeLiterals } from './describe-value.ts';
import { equalJson } from './equal-json.ts';
import { evaluatedIndexes, evaluatedNames } from './evaluated.ts';
import { explainUnion } from './explain-union.ts';
import { hasOwn, unknownProperty } from './object-check.ts';
import type { Check, SchemaNode } from './schema-node.ts';

/** The checks of a node that look at the value as a whole, whatever its type, in order. */
export function inPlaceChecks(node: SchemaNode): Check[] {
  const checks: Check[] = [];
  if (node.literals !== undefined) checks.push(literalCheck(node.literals));
  if (node.moreLiterals !== undefined) checks.push(literalCheck(node.moreLiterals));
  if (node.ref !== undefined) checks.push(referenceCheck(node, node.ref));
  for (const each of node.allOf)
    checks.push(each.depth > node.depth ? each : referenceCheck(node, each));
  if (node.anyOf !== undefined) checks.push(anyOfCheck(node.anyOf));
  if (node.oneOf !== undefined) checks.push(oneOfCheck(node.oneOf));
  if (node.not !== undefined) checks.push(notCheck(node.not));
  if (node.condition !== undefined)
    checks.push(conditionCheck(node.condition, node.whenTrue, node.whenFalse));
  for (const [name, each] of node.dependentSchemas ?? []) checks.push(dependentCheck(name, each));
  if (node.unevaluatedProperties !== undefined) {
    checks.push(unevaluatedPropertiesCheck(node, node.unevaluatedProperties));
  }
  if (node.unevaluatedItems !== undefined) {
    checks.push(unevaluatedItemsCheck(node, node.unevaluatedItems));
  }
  return checks;
}

function literalCheck(literals: readonly unknown[]): Check {
  const simple = new Set(literals.filter((each) => typeof each !== 'object' || each === null));
  const structures = literals.filter((each) => typeof each === 'object' && each !== null);
  const accepts = (value: unknown) =>
    simple.has(value) || structures.some((each) => equalJson(value, each));
  const expected =
    literals.length === 1
      ? `must be ${describeLiteral(literals[0])}`
      : `must be one of ${describeLiterals(literals)}`;
  const keyword = literals.length === 1 ? 'const' : 'enum';
  return {
    accepts: structures.length === 0 ? (value) => simple.has(value) : accepts,
    explain: (value, sink) => {
      if (!accepts(value)) sink.add(keyword, expected, value);
    },
  };
}

/** Late bound, since a reference may point at a node whose checks are not built yet. */
function referenceCheck(node: SchemaNode, target: SchemaNode): Check {
  const { budget, depth } = node;
  return {
    accepts(value) {
      enterReference(budget, depth, 1);
      const isAccepted = target.accepts(value);
      budget.depth -= depth;
      return isAccepted;
    },
    explain(value, sink) {
      enterReference(budget, depth, EXPLAIN_HOPS);
      target.explain(value, sink);
      budget.depth -= depth;
    },
  };
}

function anyOfCheck(branches: readonly SchemaNode[]): Check {
  return {
    accepts(value) {
      for (const branch of branches) if (branch.accepts(value)) return true;
      return false;
    },
    explain: (value, sink) => explainUnion({ keyword: 'anyOf', branches, value, sink }),
  };
}

function oneOfCheck(branches: readonly SchemaNode[]): Check {
  return {
    accepts(value) {
      let matches = 0;
      for (const branch of branches) {
        if (branch.accepts(value)) matches += 1;
        if (matches > 1) return false;
      }
      return matches === 1;
    },
    explain(value, sink) {
      const matching = branches.flatMap((each, index) => (each.accepts(value) ? [index + 1] : []));
      if (matching.length === 0) explainUnion({ keyword: 'oneOf', branches, value, sink });
      if (matching.length > 1) {
        const forms = matching.join(' and ');
        sink.add(
          'oneOf',
          `must match exactly one of ${branches.length} forms (matches ${forms})`,
          value,
        );
      }
    },
  };
}

function notCheck(node: SchemaNode): Check {
  return {
    accepts: (value) => !node.accepts(value),
    explain(value, sink) {
      if (!node.accepts(value)) return;
      const literals = node.literals ?? [];
      const excluded =
        literals.length > 0 ? `must not be ${describeLiterals(literals)}` : undefined;
      sink.add('not', excluded ?? 'must not be of a form that is excluded', value);
    },
  };
}

function conditionCheck(
  condition: SchemaNode,
  then: SchemaNode | undefined,
  otherwise: SchemaNode | undefined,
): Check {
  return {
    accepts(value) {
      const next = condition.accepts(value) ? then : otherwise;
      return next === undefined || next.accepts(value);
    },
    explain(value, sink) {
      const next = condition.accepts(value) ? then : otherwise;
      next?.explain(value, sink);
    },
  };
}

function dependentCheck(name: string, node: SchemaNode): Check {
  const applies = (value: unknown) => isJsonObject(value) && hasOwn(value, name);
  return {
    accepts: (value) => !applies(value) || node.accepts(value),
    explain(value, sink) {
      if (applies(value)) node.explain(value, sink);
    },
  };
}

function unevaluatedPropertiesCheck(node: SchemaNode, rest: SchemaNode): Check {
  const leftOver = (value: unknown): [string, unknown][] => {
    if (!isJsonObject(value)) return [];
    const names = new Set<string>();
    if (evaluatedNames(node, value, names, true)) return [];
    return Object.entries(value).filter(([name, part]) => part !== undefined && !names.has(name));
  };
  return {
    accepts: (value) => leftOver(value).every(([, part]) => rest.accepts(part)),
    explain(value, sink) {
      for (const [name, part] of leftOver(value)) {
        if (rest.source === false) {
          const properties = node.object?.properties ?? new Map();
          sink.addAt(name, 'unevaluatedProperties', unknownProperty(properties));
          continue;
        }
        sink.path.push(name);
        rest.explain(part, sink);
        sink.path.pop();
      }
    },
  };
}

function unevaluatedItemsCheck(node: SchemaNode, rest: SchemaNode): Check {
  const leftOver = (value: unknown): [number, unknown][] => {
    if (!Array.isArray(value)) return [];
    const indexes = new Set<number>();
    if (evaluatedIndexes(node, value, indexes, true)) return [];
    return [...value.entries()].filter(([index]) => !indexes.has(index));
  };
  return {
    accepts: (value) => leftOver(value).every(([, item]) => rest.accepts(item)),
    explain(value, sink) {
      for (const [index, item] of leftOver(value)) {
        sink.path.push(index);
        rest.explain(item, sink);
        sink.path.pop();
      }
    },
  };
}
