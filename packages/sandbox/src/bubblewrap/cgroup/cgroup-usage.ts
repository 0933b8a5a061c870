import type { SandboxStats } from '../../sandbox.ts';
import type { Controller } from './find-cgroups.ts';
import { type Cgroup, readCount } from './make-cgroup.ts';

/** What a sandbox has used, as its cgroups count it. */
export async function cgroupUsage(groups: readonly Cgroup[]): Promise<SandboxStats> {
  const [memory, pids, time] = (['memory', 'pids', 'cpuacct'] as const).map((name) =>
    groupOf(groups, name),
  );
  const [memoryBytes, count, cpu] = await Promise.all([
    readCount(memory, memory?.version === 2 ? 'memory.current' : 'memory.usage_in_bytes'),
    readCount(pids, 'pids.current'),
    time?.version === 2
      ? readCount(time, 'cpu.stat', 'usage_usec')
      : readCount(time, 'cpuacct.usage'),
  ]);
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(count === undefined ? {} : { pids: count }),
    ...(cpu === undefined ? {} : { cpuMs: cpu / (time?.version === 2 ? 1e3 : 1e6) }),
  };
}

/** How many processes the kernel killed for want of memory; undefined where nobody counts. */
export async function memoryKills(groups: readonly Cgroup[]): Promise<number | undefined> {
  const group = groupOf(groups, 'memory');
  return readCount(
    group,
    group?.version === 2 ? 'memory.events' : 'memory.oom_control',
    'oom_kill',
  );
}

function groupOf(groups: readonly Cgroup[], controller: Controller): Cgroup | undefined {
  return groups.find(({ held }) => held.includes(controller));
}
