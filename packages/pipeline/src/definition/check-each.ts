import type { Fault } from './fault.ts';
import { alternatives, isPlain, listOf, type Typed, typed } from './json-type.ts';
import type { PipelineNode } from './pipeline-schema.ts';
import { schemaAt } from './schema-at.ts';
import { misfit } from './schema-fits.ts';
import { type Given, givenBy, type Scope, whyMissing } from './value-type.ts';

/** Draws the way to a node, from the node a value comes from if it is known. */
export type WayTo = (to: string, from?: string) => readonly string[];

/** A node to be checked, and where it stands. */
export interface NodeCheck {
  readonly id: string;
  readonly node: PipelineNode;
  readonly scope: Scope;
  readonly wayTo: WayTo;
}

/** What stands in references of an `each`: its item, the results it waited for. */
export function checkEach({ id, node, scope, wayTo }: NodeCheck): {
  faults: Fault[];
  scope: Scope;
} {
  const failure = { type: typed({ type: 'string' }), maybe: true };
  const { each } = node;
  if (each === undefined) return { faults: [], scope: { ...scope, extra: { failure } } };
  const at = `nodes.${id}.each`;
  const list = givenBy(each.items, { ...scope, extra: {} });
  const faults = list.flatMap((given): Fault[] => {
    const path = wayTo(id, given.node);
    if (given.type === 'fault')
      return [{ problem: `${at}.items: ${given.problem}`, path, hint: given.hint }];
    const why = misfit(given.value, typed({ type: 'array' })) ?? whyMissing(list);
    return why === undefined
      ? []
      : [
          {
            problem: `${at}.items: ${why}.`,
            path,
            hint: `${at}.items has to be a list that is there`,
          },
        ];
  });
  if (Object.hasOwn(scope.definition.nodes, each.as)) {
    faults.push({
      problem: `${at}.as: ${each.as} is a node too.`,
      path: wayTo(id),
      hint: 'call the item something else',
    });
  }
  if (each.after !== undefined && each.key === undefined) {
    faults.push({
      problem: `${at}.after lists keys, but items have none.`,
      path: wayTo(id),
      hint: `add ${at}.key`,
    });
  }
  const item = itemOf(list);
  const keyTypes = {
    key: { type: ['string', 'integer'] },
    after: { type: 'array', items: { type: ['string', 'integer'] } },
  };
  for (const word of ['key', 'after'] as const) {
    const property = each[word];
    if (property === undefined || faults.length > 0) continue;
    const found = schemaAt(item, [property]);
    const why =
      found.type === 'missing'
        ? `items have no ${JSON.stringify(property)}`
        : misfit(found.at, typed(keyTypes[word]));
    if (why !== undefined) {
      faults.push({
        problem: `${at}.${word}: ${why}.`,
        path: wayTo(id, list[0]?.node),
        hint: `${at}.${word}`,
      });
    }
  }
  const output = typed(scope.agents[node.agent]?.output ?? true);
  const extra = {
    failure,
    [each.as]: { type: item, maybe: false },
    ...(each.after !== undefined && { done: { type: listOf(output), maybe: false } }),
  };
  return { faults, scope: { ...scope, extra } };
}

function itemOf(list: readonly Given[]): Typed {
  const items = list.flatMap((given) => {
    if (given.type === 'fault') return [];
    return alternatives(given.value).map((schema) => ({
      schema: schema.items,
      root: given.value.root,
    }));
  });
  const [only] = items;
  // Of several lists with items of several kinds nothing is said.
  if (items.length !== 1 || !isPlain(only?.schema)) return typed(true);
  return { schema: only.schema, root: only.root };
}
