import { readdirSync, readFileSync } from 'node:fs';
import { processesMarked, signalProcess } from '@forge/sandbox/owner';
import { sleep } from '../sleep.ts';

const pollEvery = 25;
/** After SIGKILL only the kernel is waited for. */
const killedWait = 5_000;

/** What a release carries in its environment, and so does all that it starts: `<keeper>.<release>`. */
export const markVariable = 'FORGE_RELEASE';

/**
 * Ends a process group, and whoever carries the mark and left the group: asks, waits, then kills
 * whoever is left. Resolves when nobody is, and also when even that did not help, which only a
 * process stuck in the kernel can do.
 */
export async function endGroup({
  group,
  mark,
  graceMs,
}: {
  readonly group: number | undefined;
  readonly mark: string;
  readonly graceMs: number;
}): Promise<void> {
  const members = () => new Set([...membersOf(group), ...withMark(mark)]);
  for (const pid of members()) signalProcess(pid, 'SIGTERM');
  if (await gone(members, graceMs)) return;
  if (group !== undefined) signalProcess(-group, 'SIGKILL');
  for (const pid of members()) signalProcess(pid, 'SIGKILL');
  await gone(members, killedWait);
}

/**
 * Kills at once what carries a mark of this keeper, but for these. They are looked for last: what one
 * of them starts in between is not among those found before.
 */
export function killMarked(keeper: string, except: readonly string[]): void {
  const found = processesMarked(`${markVariable}=${keeper}.`);
  const spared = new Set(except.flatMap(withMark));
  for (const pid of found) if (!spared.has(pid)) signalProcess(pid, 'SIGKILL');
}

function withMark(mark: string): number[] {
  return processesMarked(`${markVariable}=${mark}\0`);
}

async function gone(members: () => ReadonlySet<number>, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += pollEvery) {
    if (members().size === 0) return true;
    await sleep(pollEvery);
  }
  return members().size === 0;
}

/** The dead that nobody has collected are still in the group, and do not count. */
function membersOf(group: number | undefined): number[] {
  if (group === undefined || !isThere(group)) return [];
  try {
    return readdirSync('/proc').flatMap((name) =>
      /^\d+$/.test(name) && isMember(name, group) ? [Number(name)] : [],
    );
  } catch {
    return [group]; // No /proc: its leader stands for all.
  }
}

function isThere(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

function isMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Its name may hold spaces and brackets: fields count from behind the last one.
    const [state, , of] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(of) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
