import { readdirSync, readFileSync } from 'node:fs';

/**
 * Every other process with a variable in its environment that begins with this: `NAME=value`. A mark
 * that shall match as a whole ends in NUL.
 *
 * Does not wait, so that it can be asked in the last moment of a process too, and what starts
 * processes has little time to get away. None where there is no /proc.
 */
export function processesMarked(
  mark: string,
  among: (pid: number) => boolean = () => true,
): number[] {
  return processNumbers().filter(
    (pid) => pid !== process.pid && among(pid) && carries(environmentOf(pid), mark),
  );
}

/** False if it was gone already, or is not ours. A negative number is a group. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function carries(environment: string, mark: string): boolean {
  return environment.startsWith(mark) || environment.includes(`\0${mark}`);
}

/** Empty for one that ended, also if it still waits for its parent, and for somebody else's. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function processNumbers(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
