import { type CompiledSchema, compileSchema } from '@forge/core';
import { upstreamOf } from './guaranteed.ts';
import { linksOf, reachable } from './links.ts';
import type {
  Condition,
  Loop,
  PipelineDefinition,
  PipelineEdge,
  PipelineNode,
} from './pipeline-schema.ts';
import { startsOf } from './starts.ts';
import type { AgentContracts } from './value-type.ts';

/** Nodes are named by their place in `CheckedPipeline.nodes`. */
export interface CheckedEdge {
  readonly from: number;
  readonly to: number;
  readonly when?: Condition;
}

export interface CheckedLoop extends CheckedEdge {
  /** Its place in `CheckedPipeline.loops`. */
  readonly index: number;
  readonly loop: Loop;
  /** What is done anew when it goes back: its target and everything after that, in order. */
  readonly region: readonly number[];
  readonly group: number;
}

export interface CheckedNode {
  readonly id: string;
  readonly definition: PipelineNode;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema;
  /** Begins with the run. */
  readonly isStart: boolean;
  /** Edges that lead here, loops left out. */
  readonly into: readonly CheckedEdge[];
  /** Loops that begin here. */
  readonly loops: readonly CheckedLoop[];
  /** Nodes that have settled whenever this one begins. */
  readonly upstream: ReadonlySet<string>;
  /** The group of loops that may have it done anew. */
  readonly group?: number;
}

/** A pipeline without faults, made ready to be planned. Only `checkPipeline` makes one. */
export interface CheckedPipeline {
  readonly definition: PipelineDefinition;
  readonly agents: AgentContracts;
  readonly input: CompiledSchema;
  /** In the order of the graph; among equals, as they were written. */
  readonly nodes: readonly CheckedNode[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly loops: readonly CheckedLoop[];
  /** Loops that touch each other go back together; what such a group of loops may do anew. */
  readonly groups: readonly (readonly number[])[];
}

export function compilePipeline(
  definition: PipelineDefinition,
  agents: AgentContracts,
): CheckedPipeline {
  const { edges } = definition;
  const forward = edges.filter(({ loop }) => loop === undefined);
  const written = Object.keys(definition.nodes);
  const ids = inOrder(written, forward);
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const at = (id: string) => indexOf.get(id) ?? 0;
  const starts = startsOf(written, edges);
  const upstream = upstreamOf(ids, forward);
  const links = linksOf(forward);
  const regionOf = (id: string) =>
    [at(id), ...[...reachable(links, id)].map(at)].sort((a, b) => a - b);
  const looping = edges.flatMap((edge) =>
    edge.loop === undefined ? [] : [{ ...ends(edge), loop: edge.loop, region: regionOf(edge.to) }],
  );
  const { groups, groupOf } = groupsOf(looping.map(({ region }) => region));
  const loops = looping.map((edge, index) => ({ ...edge, index, group: groupOf[index] ?? 0 }));

  function ends({ from, to, when }: PipelineEdge): CheckedEdge {
    return { from: at(from), to: at(to), ...(when !== undefined && { when }) };
  }
  const nodes = ids.map((id, index): CheckedNode => {
    const node = definition.nodes[id] as PipelineNode;
    const contract = agents[node.agent];
    const group = groups.findIndex((members) => members.includes(index));
    return {
      id,
      definition: node,
      input: compileSchema(contract?.input ?? true),
      output: compileSchema(contract?.output ?? true),
      isStart: starts.has(id),
      into: forward.filter(({ to }) => to === id).map(ends),
      loops: loops.filter(({ from }) => from === index),
      upstream: upstream.get(id) ?? new Set(),
      ...(group >= 0 && { group }),
    };
  });
  const input = compileSchema(definition.input);
  return { definition, agents, input, nodes, indexOf, loops, groups };
}

/** Sources before targets; of those that could be next, the one that is written first. */
export function inOrder(ids: readonly string[], forward: readonly PipelineEdge[]): string[] {
  const links = linksOf(forward);
  const waiting = new Map(ids.map((id) => [id, 0]));
  for (const { to } of forward) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const left = [...ids];
  const order: string[] = [];
  while (left.length > 0) {
    // Without a next one there is a cycle: what is left keeps its order, for drawings.
    const index = Math.max(
      0,
      left.findIndex((id) => waiting.get(id) === 0),
    );
    const [next = ''] = left.splice(index, 1);
    order.push(next);
    for (const to of links.get(next) ?? []) waiting.set(to, (waiting.get(to) ?? 0) - 1);
  }
  return order;
}

/** Regions that have a node in common belong together. */
function groupsOf(regions: readonly (readonly number[])[]) {
  let groups: { members: Set<number>; loops: number[] }[] = [];
  for (const [loop, region] of regions.entries()) {
    const touching = groups.filter(({ members }) => region.some((node) => members.has(node)));
    const members = new Set(region);
    for (const group of touching) for (const node of group.members) members.add(node);
    const joined = { members, loops: [...touching.flatMap((group) => group.loops), loop] };
    groups = [...groups.filter((group) => !touching.includes(group)), joined];
  }
  const groupOf: number[] = [];
  for (const [index, group] of groups.entries())
    for (const loop of group.loops) groupOf[loop] = index;
  return { groups: groups.map(({ members }) => [...members].sort((a, b) => a - b)), groupOf };
}
