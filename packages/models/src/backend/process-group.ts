import { readdirSync, readFileSync } from 'node:fs';
import type { Sleep } from '../retry/sleep.ts';
import { parseProcStat } from './process-identity.ts';

const pollEvery = 50;
/** After SIGKILL only the kernel is waited for. */
const killedWait = 5_000;

/**
 * Ends a process group: asks, waits, then kills whoever is left. Resolves when nobody is, and
 * also when even that did not help, which only a process stuck in the kernel can do.
 */
export async function endGroup(
  group: number,
  { grace, sleep }: { readonly grace: number; readonly sleep: Sleep },
): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return;
  if (await isGone(group, grace, sleep)) return;
  signalGroup(group, 'SIGKILL');
  await isGone(group, killedWait, sleep);
}

async function isGone(group: number, time: number, sleep: Sleep): Promise<boolean> {
  const never = new AbortController().signal;
  for (let waited = 0; waited < time; waited += pollEvery) {
    if (!hasMembers(group)) return true;
    await sleep(pollEvery, never);
  }
  return !hasMembers(group);
}

/** False when the group has nobody in it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/** The dead that nobody has collected are still in the group, and do not count. */
export function hasMembers(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isMember(name, group));
}

function isMember(pid: string, group: number): boolean {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return stat?.group === group && stat.state !== 'Z' && stat.state !== 'X';
  } catch {
    return false;
  }
}
