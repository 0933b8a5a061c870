import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { processesMarked, signalProcess } from '../owner/marked-processes.ts';

/** The variable that all processes of a command carry: `<sandbox>.<number>`. */
export const markVariable = 'FORGE_EXEC';

/** The number that was given to a process last; undefined where it cannot be told. */
export async function lastPid(): Promise<number | undefined> {
  const text = await readFile('/proc/loadavg', 'utf8').catch(() => '');
  const last = Number(text.trim().split(' ').at(-1));
  return Number.isInteger(last) && last > 0 ? last : undefined;
}

/** The processes of a command, or of a sandbox: `<sandbox>.` */
export function findMarked(mark: string, among?: (pid: number) => boolean): number[] {
  return processesMarked(`${markVariable}=${mark}`, among);
}

/**
 * Kills every process that carries the mark, in rounds until none is left: one that was just being
 * started is seen in the next round. Returns how many there were.
 */
export async function killMarked(mark: string, among?: (pid: number) => boolean): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const found = findMarked(mark, among);
    if (found.length === 0) break;
    for (const pid of found) if (signalProcess(pid, 'SIGKILL')) killed.add(pid);
    await nextTurn();
  }
  return killed.size;
}

const rounds = 50;
