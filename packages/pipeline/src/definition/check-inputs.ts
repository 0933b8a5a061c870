import { nearestNames } from '@forge/core';
import { checkEach, type NodeCheck, type WayTo } from './check-each.ts';
import type { Fault } from './fault.ts';
import { type Typed, typed } from './json-type.ts';
import { isOptional } from './parse-ref.ts';
import type { Ref } from './pipeline-schema.ts';
import { misfit } from './schema-fits.ts';
import { givenBy, type Scope, whyMissing } from './value-type.ts';
import { wantedBy } from './wanted-by.ts';

/** What is wrong with what a node is given. */
export function checkInputs(checked: NodeCheck): Fault[] {
  const { id, node, scope, wayTo } = checked;
  const contract = Object.hasOwn(scope.agents, node.agent) ? scope.agents[node.agent] : undefined;
  const { faults, scope: inside } = checkEach(checked);
  if (contract === undefined) return [...faults, unknownAgent(checked)];
  const wanted = wantedBy(typed(contract.input));
  for (const [property, ref] of Object.entries(node.input)) {
    const place = `nodes.${id}.input.${property}`;
    const want = wanted.properties.get(property);
    if (want === undefined && !wanted.isOpen) {
      const [near] = nearestNames(property, [...wanted.properties.keys()]);
      faults.push({
        problem: `${id} is given ${JSON.stringify(property)}, which ${node.agent} does not take.`,
        path: wayTo(id),
        hint:
          near === undefined
            ? `it takes: ${[...wanted.properties.keys()].join(', ')}`
            : `did you mean ${near}?`,
      });
    }
    const isNeeded = wanted.required.has(property);
    faults.push(...checkRef({ ref, scope: inside, want, isNeeded, place, id, wayTo }));
  }
  for (const property of wanted.required) {
    if (Object.hasOwn(node.input, property)) continue;
    faults.push({
      problem: `${node.agent} needs ${JSON.stringify(property)}, and ${id} is not given it.`,
      path: wayTo(id),
      hint: `add it to nodes.${id}.input`,
    });
  }
  return faults;
}

function unknownAgent({ id, node, scope, wayTo }: NodeCheck): Fault {
  const names = Object.keys(scope.agents);
  const [near] = nearestNames(node.agent, names);
  return {
    problem: `${id} is to be done by ${JSON.stringify(node.agent)}, which is not an agent.`,
    path: wayTo(id),
    hint: near === undefined ? `agents: ${names.slice(0, 20).join(', ')}` : `did you mean ${near}?`,
  };
}

interface RefCheck {
  readonly ref: Ref;
  readonly scope: Scope;
  readonly want: Typed | undefined;
  readonly isNeeded: boolean;
  readonly place: string;
  readonly id: string;
  readonly wayTo: WayTo;
}

function checkRef({ ref, scope, want, isNeeded, place, id, wayTo }: RefCheck): Fault[] {
  const all = givenBy(ref, scope);
  const faults = all.flatMap((given) => {
    if (given.type === 'fault') {
      const path = wayTo(id, given.node);
      return [{ problem: `${place}: ${given.problem}`, path, hint: given.hint }];
    }
    const why = want === undefined ? undefined : misfit(given.value, want);
    if (why === undefined) return [];
    const problem = `${place}: ${given.text} does not fit: ${why}.`;
    return [{ problem, path: wayTo(id, given.node), hint: place }];
  });
  const mayBeMissing = whyMissing(all) ?? (isOptional(ref) ? 'it is optional' : undefined);
  if (!isNeeded || mayBeMissing === undefined || faults.length > 0) return faults;
  return [
    {
      problem: `${place} is needed, but ${mayBeMissing}.`,
      path: wayTo(id, all.at(-1)?.node),
      hint: 'give it from a node that has always run by then, or a list whose last is always there',
    },
  ];
}
