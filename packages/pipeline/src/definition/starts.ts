import { linksOf, reachable } from './links.ts';
import type { PipelineEdge } from './pipeline-schema.ts';

/**
 * The nodes a run begins with: those no edge leads to. A node that only loops lead to waits until
 * one does; but where nothing else would ever lead to such a loop, the loop goes back to the
 * beginning and the node is one to begin with (of several, the one that is written first).
 */
export function startsOf(ids: readonly string[], edges: readonly PipelineEdge[]): Set<string> {
  const all = linksOf(edges);
  const led = new Set(edges.map(({ to }) => to));
  const ledForward = new Set(edges.flatMap(({ to, loop }) => (loop === undefined ? [to] : [])));
  const starts = new Set(ids.filter((id) => !led.has(id)));
  let reached = reachable(all, ...starts);
  for (const id of ids) {
    if (starts.has(id) || ledForward.has(id) || reached.has(id)) continue;
    starts.add(id);
    reached = reachable(all, ...starts);
  }
  return starts;
}
