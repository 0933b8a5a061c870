import { reachable, reversed } from './links.ts';
import type { PipelineDefinition, PipelineEdge } from './pipeline-schema.ts';
import { startsOf } from './starts.ts';

/**
 * For each node, the nodes that have certainly handed something on when it begins. An edge that
 * fires says that its source is done, and everything that is certain there; which edge it will be
 * is not known, so only what all of them say counts. Beside that, a node further up is certain if
 * it follows a certain one without a condition, because everything further up has settled.
 */
export function guaranteedBefore(
  definition: PipelineDefinition,
  edges: readonly PipelineEdge[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = Object.keys(definition.nodes);
  const starts = startsOf(ids, edges);
  const forward = edges.filter(({ loop }) => loop === undefined);
  const up = upstreamOf(ids, forward);
  const mayBeLeftOut = (id: string) => definition.nodes[id]?.onFailure === 'continue';
  const into = new Map(ids.map((id) => [id, edges.filter(({ to }) => to === id)]));
  const alwaysFrom = new Map(
    ids.map((id) => [id, forward.filter(({ to, when }) => to === id && when === undefined)]),
  );

  const withUpstream = (id: string, known: Set<string>): Set<string> => {
    const left = new Set(
      [...(up.get(id) ?? [])].filter((other) => !known.has(other) && !mayBeLeftOut(other)),
    );
    for (let grew = true; grew; ) {
      grew = false;
      for (const other of left) {
        const follows = alwaysFrom.get(other)?.some(({ from }) => known.has(from)) ?? false;
        if (!follows && !starts.has(other)) continue;
        known.add(other);
        left.delete(other);
        grew = true;
      }
    }
    return known;
  };

  const sure = new Map<string, Set<string>>(
    ids.map((id) => [id, starts.has(id) ? new Set() : new Set(ids)]),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const id of ids) {
      if (starts.has(id)) continue;
      const ways = (into.get(id) ?? []).map(({ from }) => new Set(sure.get(from)).add(from));
      const [first = new Set<string>(), ...others] = ways;
      const common = new Set([...first].filter((one) => others.every((way) => way.has(one))));
      const now = withUpstream(id, common);
      if (now.size === sure.get(id)?.size) continue;
      sure.set(id, now);
      changed = true;
    }
  }
  return sure;
}

/** For each node, those one comes from to it without a loop. */
export function upstreamOf(
  ids: readonly string[],
  forward: readonly PipelineEdge[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const back = reversed(forward);
  return new Map(ids.map((id) => [id, reachable(back, id)]));
}
