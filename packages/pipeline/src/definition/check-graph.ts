import { nearestNames } from '@forge/core';
import type { Fault } from './fault.ts';
import { findCycles, linksOf, reachable } from './links.ts';
import type { PipelineDefinition, PipelineEdge } from './pipeline-schema.ts';

/** What is wrong with the nodes and edges, whatever they carry, and the edges that can be used. */
export function checkGraph(definition: PipelineDefinition): {
  readonly faults: readonly Fault[];
  readonly edges: readonly PipelineEdge[];
} {
  const ids = Object.keys(definition.nodes);
  const faults: Fault[] = [];
  const edges: PipelineEdge[] = [];
  const seen = new Set<string>();
  for (const edge of definition.edges) {
    const unknown = [edge.from, edge.to].find((id) => !Object.hasOwn(definition.nodes, id));
    const name = `${edge.from} ${edge.to} ${edge.loop !== undefined}`;
    if (unknown !== undefined) {
      faults.push(unknownNode(edge, unknown, ids));
    } else if (seen.has(name)) {
      faults.push({
        problem: `The edge from ${edge.from} to ${edge.to} is there twice.`,
        path: [edge.from, edge.to],
        at: 'edge',
        hint: 'keep one; { any: […] } puts two conditions into one',
      });
    } else {
      seen.add(name);
      edges.push(edge);
    }
  }
  // Without a cycle every node is reached: one that no edge leads to is one to begin with.
  faults.push(...checkCycles(ids, edges), ...checkLoops(edges));
  return { faults, edges };
}

function unknownNode({ from, to }: PipelineEdge, unknown: string, ids: readonly string[]): Fault {
  const [near] = nearestNames(unknown, ids);
  return {
    problem: `An edge names ${JSON.stringify(unknown)}, which is not a node.`,
    path: [from, to],
    at: unknown === from ? 0 : 1,
    hint: near === undefined ? `nodes: ${ids.slice(0, 20).join(', ')}` : `did you mean ${near}?`,
  };
}

function checkCycles(ids: readonly string[], edges: readonly PipelineEdge[]): Fault[] {
  const forward = linksOf(edges.filter(({ loop }) => loop === undefined));
  return findCycles(forward, ids).map((path) => ({
    problem: 'Nodes that wait for each other: a cycle that no loop declares.',
    path,
    at: 'edge',
    hint: 'give this edge loop: { max: … }, or take it out',
  }));
}

function checkLoops(edges: readonly PipelineEdge[]): Fault[] {
  const forward = linksOf(edges.filter(({ loop }) => loop === undefined));
  return edges.flatMap(({ from, to, loop }) => {
    if (loop === undefined || from === to || reachable(forward, to).has(from)) return [];
    return [
      {
        problem: `The loop from ${from} to ${to} does not go back: nothing leads from ${to} to ${from}.`,
        path: [from, to],
        at: 'edge' as const,
        hint: `lead from ${to} to ${from}, or take the loop off this edge`,
      },
    ];
  });
}
