import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** One process and no other: numbers are used again, a number with a starting time is not. */
export const processIdentitySchema = z.object({ pid: z.int().positive(), began: z.string() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** Who has that number now. Undefined when nobody has, or only its corpse is left. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganByProc(pid) : beganByPs(pid);
  return began === undefined ? undefined : { pid, began };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.began === identity.began;
}

/** The state and the fields after it in /proc/PID/stat, whose second field may hold anything. */
export function parseProcStat(
  stat: string,
): { readonly state: string; readonly group: number; readonly began: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const began = fields[19];
  if (state === undefined || began === undefined) return undefined;
  return { state, group: Number(group), began };
}

function beganByProc(pid: number): string | undefined {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined || stat.state === 'Z' || stat.state === 'X') return undefined;
    // Ticks since the machine started: they mean something only together with which start.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${stat.began}`;
  } catch {
    return undefined;
  }
}

function beganByPs(pid: number): string | undefined {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const args = ['-o', 'stat=,lstart=', '-p', String(pid)];
    const [state = 'Z', ...began] = execFileSync('ps', args, {
      encoding: 'utf8',
      stdio: [...stdio],
      timeout: 5_000,
    })
      .trim()
      .split(/\s+/);
    return state.startsWith('Z') ? undefined : began.join(' ');
  } catch {
    return undefined;
  }
}
