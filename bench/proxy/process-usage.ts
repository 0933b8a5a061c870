import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its children have used: processor time in nanoseconds, memory in bytes. */
export interface Usage {
  readonly cpu: number;
  readonly rss: number;
}

/**
 * Reads it from Linux, to the nanosecond. Threads that have ended no longer count, and children
 * that have ended neither: a server in the middle of its work has neither.
 */
export function readUsage(pid: number): Usage {
  let cpu = 0;
  let rss = residentBytes(readFileSync(`/proc/${pid}/status`, 'utf8'));
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${task}`;
    cpu += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
    for (const child of readFileSync(`${folder}/children`, 'utf8').split(' ')) {
      if (child.trim() === '') continue;
      const used = readUsage(Number(child));
      cpu += used.cpu;
      rss += used.rss;
    }
  }
  return { cpu, rss };
}

export function residentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Whether this machine tells what a process uses the way `readUsage` asks. */
export function canReadUsage(): boolean {
  try {
    return Number.isFinite(readUsage(process.pid).cpu);
  } catch {
    return false;
  }
}
