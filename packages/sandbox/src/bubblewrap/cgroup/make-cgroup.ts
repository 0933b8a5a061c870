import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxLimits } from '../../sandbox.ts';
import type { CgroupHome, Controller } from './find-cgroups.ts';

/** One folder of the kernel's that holds some limits of a sandbox. */
export interface Cgroup {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly held: readonly Controller[];
}

/** What a sandbox needs beside what its commands start: the shells that are kept open. */
export function ownProcesses(limits: SandboxLimits): number {
  return 16 + 2 * limits.commands;
}

/**
 * Makes a cgroup for each controller that can be had, with the limits in it. `announce` is called
 * with each folder before it is made, so that it can be found after a crash.
 */
export async function makeCgroups(options: {
  readonly homes: readonly CgroupHome[];
  readonly name: string;
  readonly limits: SandboxLimits;
  readonly announce: (folder: string) => Promise<void>;
}): Promise<readonly Cgroup[]> {
  const { homes, name, limits, announce } = options;
  const made: Cgroup[] = [];
  const missing = new Set<Controller>(['memory', 'pids', 'cpu', 'cpuacct']);
  for (const home of homes) {
    const wanted = home.controllers.filter((controller) => missing.has(controller));
    if (wanted.length === 0) continue;
    const folder = join(home.folder, name);
    await announce(folder);
    const held = await makeOne({ home, folder, wanted, limits });
    if (held.length === 0) continue;
    made.push({ version: home.version, folder, held });
    for (const controller of held) missing.delete(controller);
  }
  return made;
}

async function makeOne(options: {
  readonly home: CgroupHome;
  readonly folder: string;
  readonly wanted: readonly Controller[];
  readonly limits: SandboxLimits;
}): Promise<readonly Controller[]> {
  const { home, folder, wanted, limits } = options;
  try {
    await mkdir(folder);
  } catch {
    return []; // Not ours to write in: its limits are not held here.
  }
  const held: Controller[] = [];
  for (const controller of wanted) {
    const settings =
      home.version === 1 ? settings1(controller, limits) : settings2(controller, limits);
    if (await setAll(home, folder, settings)) held.push(controller);
  }
  if (held.length === 0) await rmdir(folder).catch(() => undefined);
  return held;
}

interface Setting {
  readonly file: string;
  readonly value: string;
  /** Absent on some kernels, such as those without swap. */
  readonly optional?: boolean;
}

const period = 100_000;

function settings1(controller: Controller, limits: SandboxLimits): readonly Setting[] {
  const quota = Math.max(1000, Math.round(limits.cpus * period));
  switch (controller) {
    case 'memory':
      return [
        { file: 'memory.limit_in_bytes', value: String(limits.memoryBytes) },
        { file: 'memory.memsw.limit_in_bytes', value: String(limits.memoryBytes), optional: true },
      ];
    case 'pids':
      return [{ file: 'pids.max', value: String(limits.pids + ownProcesses(limits)) }];
    case 'cpu':
      return [
        { file: 'cpu.cfs_period_us', value: String(period) },
        { file: 'cpu.cfs_quota_us', value: String(quota) },
      ];
    case 'cpuacct':
      return [];
  }
}

function settings2(controller: Controller, limits: SandboxLimits): readonly Setting[] {
  const quota = Math.max(1000, Math.round(limits.cpus * period));
  switch (controller) {
    case 'memory':
      return [
        { file: 'memory.max', value: String(limits.memoryBytes) },
        { file: 'memory.swap.max', value: '0', optional: true },
      ];
    case 'pids':
      return [{ file: 'pids.max', value: String(limits.pids + ownProcesses(limits)) }];
    case 'cpu':
      return [{ file: 'cpu.max', value: `${quota} ${period}` }];
    case 'cpuacct':
      return []; // Always counted.
  }
}

async function setAll(
  home: CgroupHome,
  folder: string,
  settings: readonly Setting[],
): Promise<boolean> {
  for (const { file, value, optional } of settings) {
    const done = await write(join(folder, file), value);
    if (done || optional === true) continue;
    // In version 2 the group above has to hand the controller down first.
    const controller = file.split('.')[0] ?? '';
    const handed =
      home.version === 2 &&
      (await write(join(home.folder, 'cgroup.subtree_control'), `+${controller}`));
    if (!handed || !(await write(join(folder, file), value))) return false;
  }
  return true;
}

async function write(file: string, value: string): Promise<boolean> {
  // Never made: a kernel without the file does not know the limit.
  return writeFile(file, value, { flag: 'r+' }).then(
    () => true,
    () => false,
  );
}

/** Puts a process and all it will start into the groups. */
export async function joinCgroups(groups: readonly Cgroup[], pid: number): Promise<void> {
  for (const { folder } of groups) await writeFile(join(folder, 'cgroup.procs'), String(pid));
}

/** Kills all that is in a group. */
export async function killCgroup(folder: string): Promise<void> {
  const pids = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  for (const pid of pids.split('\n').map(Number)) {
    try {
      if (pid > 0) process.kill(pid, 'SIGKILL');
    } catch {
      // It died meanwhile.
    }
  }
}

/** Removes a group once its last process is gone, waiting for that a while. */
export async function removeCgroup(folder: string): Promise<boolean> {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      await rmdir(folder);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  return false;
}

/** A number in a file of a group, undefined if there is none. */
export async function readCount(
  group: Cgroup | undefined,
  file: string,
  key?: string,
): Promise<number | undefined> {
  if (group === undefined) return undefined;
  const text = await readFile(join(group.folder, file), 'utf8').catch(() => '');
  const line =
    key === undefined ? text : text.split('\n').find((each) => each.startsWith(`${key} `));
  const digits = line?.trim().split(' ').at(-1) ?? '';
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}
