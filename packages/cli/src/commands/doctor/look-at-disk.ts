import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { type Finding, fail, ok, warn } from './finding.ts';

const gibibyte = 1024 ** 3;

/** Room for the store and for copies of repositories. */
export function lookAtDisk(stateFolder: string): readonly Finding[] {
  const places = new Map([
    [nearest(stateFolder), 'disk (state)'],
    [tmpdir(), 'disk (temporary files)'],
  ]);
  return Array.from(places, ([folder, name]) => {
    const { bavail, bsize } = statfsSync(folder);
    return roomFinding(name, bavail * bsize, folder);
  });
}

export function roomFinding(name: string, free: number, folder: string): Finding {
  const shown = `${(free / gibibyte).toFixed(1)} GiB free in ${folder}`;
  const fix = 'Make room: stores, sandboxes and builds write there.';
  if (free < gibibyte / 8) return fail(name, shown, fix);
  return free < gibibyte ? warn(name, shown, fix) : ok(name, shown);
}

/** The folder itself may not be made yet. */
export function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
