import * as z from 'zod';
import type { SandboxStats } from '../sandbox.ts';

/** What is read of the daemon's statistics. Fields differ between the two versions of cgroups. */
const statsSchema = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }).partial() }).partial(),
  memory_stats: z
    .object({
      usage: z.number(),
      stats: z.object({ total_inactive_file: z.number(), inactive_file: z.number() }).partial(),
    })
    .partial(),
  pids_stats: z.object({ current: z.number() }).partial(),
  networks: z
    .record(z.string(), z.object({ rx_bytes: z.number(), tx_bytes: z.number() }))
    .optional(),
});

/** CPU, memory and processes of a container; what the daemon does not tell is left out. */
export function readStats(answer: unknown): SandboxStats {
  const read = statsSchema.safeParse(answer).data;
  if (read === undefined) return {};
  const cpu = read.cpu_stats.cpu_usage?.total_usage;
  const { usage, stats = {} } = read.memory_stats;
  // Files that could be dropped from memory at any time are not its need.
  const dropable = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  const networks = Object.values(read.networks ?? {});
  return {
    ...(cpu === undefined ? {} : { cpuMs: cpu / 1e6 }),
    ...(usage === undefined ? {} : { memoryBytes: Math.max(0, usage - dropable) }),
    ...(read.pids_stats.current === undefined ? {} : { pids: read.pids_stats.current }),
    ...(networks.length === 0
      ? {}
      : {
          network: {
            receivedBytes: networks.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
            sentBytes: networks.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0),
          },
        }),
  };
}
