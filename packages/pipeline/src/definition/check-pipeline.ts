import { compileSchema, messageOf } from '@forge/core';
import { checkConditions } from './check-conditions.ts';
import type { WayTo } from './check-each.ts';
import { checkGraph } from './check-graph.ts';
import { checkInputs } from './check-inputs.ts';
import { type CheckedPipeline, compilePipeline } from './compile-pipeline.ts';
import { type Fault, invalidPipeline } from './fault.ts';
import { guaranteedBefore } from './guaranteed.ts';
import { linksOf, reachable, reversed, shortestPath } from './links.ts';
import { parsePipeline } from './parse-pipeline.ts';
import type { PipelineDefinition, PipelineEdge, PipelineInput } from './pipeline-schema.ts';
import { startsOf } from './starts.ts';
import { type AgentContracts, givenBy, type Scope } from './value-type.ts';

/**
 * A pipeline that can be run, or a ForgeError `invalid_pipeline` that lists everything that is
 * wrong with it, each fault drawn at its place.
 */
export function checkPipeline(
  pipeline: PipelineInput | PipelineDefinition,
  agents: AgentContracts,
): CheckedPipeline {
  const definition = parsePipeline(pipeline);
  const schemaFaults = [
    ...checkSchema('input', definition.input),
    ...[...new Set(Object.values(definition.nodes).map(({ agent }) => agent))].flatMap((name) => {
      const contract = Object.hasOwn(agents, name) ? agents[name] : undefined;
      if (contract === undefined) return [];
      return [
        ...checkSchema(`the input of ${name}`, contract.input),
        ...checkSchema(`the output of ${name}`, contract.output),
      ];
    }),
  ];
  const { faults, edges } = checkGraph(definition);
  const values = schemaFaults.length > 0 ? [] : checkValues(definition, edges, agents);
  const all = [...schemaFaults, ...faults, ...values];
  if (all.length > 0) throw invalidPipeline(definition.name, all);
  return compilePipeline(definition, agents);
}

function checkSchema(what: string, schema: AgentContracts[string]['input']): Fault[] {
  try {
    compileSchema(schema);
    return [];
  } catch (error) {
    return [{ problem: `The schema of ${what} cannot be used.`, path: [], hint: messageOf(error) }];
  }
}

function checkValues(
  definition: PipelineDefinition,
  edges: readonly PipelineEdge[],
  agents: AgentContracts,
): Fault[] {
  const ids = Object.keys(definition.nodes);
  const [all, back] = [linksOf(edges), reversed(edges)];
  const certain = guaranteedBefore(definition, edges);
  const starts = startsOf(ids, edges);
  const wayTo: WayTo = (to, from) => {
    const path = from === undefined ? undefined : shortestPath(all, from, to);
    if (path !== undefined || starts.has(to)) return path ?? [to];
    for (const start of starts) {
      const way = shortestPath(all, start, to);
      if (way !== undefined) return way;
    }
    return [to];
  };
  const scopeOf = (id: string): Scope => ({
    definition,
    agents,
    before: reachable(back, id),
    certain: certain.get(id) ?? new Set(),
    extra: {},
  });
  const faults: Fault[] = [];
  for (const [id, node] of Object.entries(definition.nodes)) {
    faults.push(...checkInputs({ id, node, scope: scopeOf(id), wayTo }));
  }
  for (const edge of edges) {
    const scope = scopeOf(edge.from);
    const withSource = new Set(scope.before).add(edge.from);
    const sure = new Set(scope.certain).add(edge.from);
    faults.push(...checkConditions(edge, { ...scope, before: withSource, certain: sure }));
  }
  const end = { definition, agents, before: new Set(ids), certain: new Set(ids), extra: {} };
  for (const [name, ref] of Object.entries(definition.output ?? {})) {
    for (const given of givenBy(ref, end)) {
      if (given.type === 'given') continue;
      const path = given.node === undefined ? [] : wayTo(given.node);
      faults.push({ problem: `output.${name}: ${given.problem}`, path, hint: given.hint });
    }
  }
  return faults;
}
