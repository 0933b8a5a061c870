/** Which nodes follow which. */
export type Links = ReadonlyMap<string, readonly string[]>;

interface Link {
  readonly from: string;
  readonly to: string;
}

export function linksOf(edges: readonly Link[]): Links {
  const links = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const next = links.get(from);
    if (next === undefined) links.set(from, [to]);
    else next.push(to);
  }
  return links;
}

export function reversed(edges: readonly Link[]): Links {
  return linksOf(edges.map(({ from, to }) => ({ from: to, to: from })));
}

/** Every node one comes to from these by one step or more: a node itself only on a way round. */
export function reachable(links: Links, ...from: readonly string[]): Set<string> {
  const found = new Set<string>();
  const next = [...from];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    for (const to of links.get(at) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      next.push(to);
    }
  }
  return found;
}

/** The shortest way of one step or more, with both ends. */
export function shortestPath(links: Links, from: string, to: string): string[] | undefined {
  const before = new Map<string, string>();
  let wave = [from];
  while (wave.length > 0) {
    const next: string[] = [];
    for (const at of wave) {
      for (const step of links.get(at) ?? []) {
        if (before.has(step)) continue;
        before.set(step, at);
        if (step === to) return trail(before, from, to);
        next.push(step);
      }
    }
    wave = next;
  }
  return undefined;
}

function trail(before: ReadonlyMap<string, string>, from: string, to: string): string[] {
  const path = [to];
  let at = before.get(to);
  while (at !== undefined && at !== from) {
    path.unshift(at);
    at = before.get(at);
  }
  return [from, ...path];
}

/** Ways round, each with its first node again at the end; one for every edge that closes one. */
export function findCycles(links: Links, ids: readonly string[], most = 10): string[][] {
  const cycles: string[][] = [];
  const state = new Map<string, 'open' | 'closed'>();
  for (const start of ids) {
    if (state.has(start)) continue;
    // Walked with a stack of its own: a path of all nodes is no deeper than one node here.
    const path = [start];
    const left = [[...(links.get(start) ?? [])]];
    state.set(start, 'open');
    while (path.length > 0) {
      const to = left.at(-1)?.shift();
      if (to === undefined) {
        state.set(path.pop() ?? '', 'closed');
        left.pop();
      } else if (state.get(to) === 'open') {
        if (cycles.length < most) cycles.push([...path.slice(path.indexOf(to)), to]);
      } else if (!state.has(to)) {
        state.set(to, 'open');
        path.push(to);
        left.push([...(links.get(to) ?? [])]);
      }
    }
  }
  return cycles;
}
