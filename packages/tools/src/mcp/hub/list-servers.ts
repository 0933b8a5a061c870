import type { McpToolInfo } from '../catalog/build-catalog.ts';
import { type McpServerStatus, statusOf } from './server-entry.ts';
import type { ServerRegistry } from './server-registry.ts';

/** All servers with their state, those with settings that cannot be read too. */
export function listServers(
  registry: ServerRegistry,
  { tools, trouble }: { readonly tools: readonly McpToolInfo[]; readonly trouble?: string },
): McpServerStatus[] {
  const offered = tools.filter(({ state }) => state === 'offered');
  const byServer = Map.groupBy(offered, ({ server }) => server);
  const notes = trouble === undefined ? [] : [`Not everything is kept: ${trouble}`];
  const known = registry.entries.map((entry) => {
    const status = statusOf(entry, byServer.get(entry.name)?.length ?? 0);
    return { ...status, notes: [...status.notes, ...notes] };
  });
  const broken = registry.broken.map(
    (why): McpServerStatus => ({
      ...why,
      state: 'failed',
      offered: 0,
      notes: [],
    }),
  );
  return [...known, ...broken].sort((a, b) => (a.name < b.name ? -1 : 1));
}
