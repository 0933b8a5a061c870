import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { messageOf } from '@forge/core';
import type { Availability, Sandbox, SandboxOptions } from '../sandbox.ts';
import { defaultLimits } from '../sandbox.ts';
import { findCgroups } from './cgroup/find-cgroups.ts';
import { makeCgroups, removeCgroup } from './cgroup/make-cgroup.ts';

const run = promisify(execFile);

/** Tries it: whether namespaces may be made is known only then. */
export async function probeBubblewrap(options: {
  readonly program: string;
  readonly start: (options: SandboxOptions) => Promise<Sandbox>;
  readonly signal?: AbortSignal | undefined;
}): Promise<Availability> {
  const { program, start, signal } = options;
  if (process.platform !== 'linux') {
    return { available: false, problem: 'bubblewrap is for Linux.', fix: 'Use Docker.' };
  }
  let version: string;
  try {
    const { stdout } = await run(program, ['--version'], { env: {}, ...(signal && { signal }) });
    version = stdout.trim();
  } catch (error) {
    return {
      available: false,
      problem: `${program} cannot be run: ${messageOf(error)}`,
      fix: 'Install bubblewrap 0.7 or later (Debian, Ubuntu: apt install bubblewrap).',
    };
  }
  try {
    const sandbox = await start(signal === undefined ? {} : { signal });
    await sandbox.stop();
  } catch (error) {
    return {
      available: false,
      problem: messageOf(error),
      fix: 'Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap), or use Docker.',
    };
  }
  return { available: true, version, cannot: await whatItCannot() };
}

async function whatItCannot(): Promise<readonly string[]> {
  const made = await makeCgroups({
    homes: await findCgroups(),
    name: `forge-probe-${randomBytes(6).toString('hex')}`,
    limits: defaultLimits,
    announce: async () => undefined,
  });
  for (const { folder } of made) await removeCgroup(folder);
  const held = new Set(made.flatMap((cgroup) => cgroup.held));
  const here = 'its cgroup cannot be written here';
  return [
    'no images: commands see the programs of this machine, read-only',
    ...(process.getuid?.() === 0
      ? []
      : ['no list of allowed hosts, the network is none or all of it: that takes root']),
    ...(held.has('memory')
      ? []
      : [`memory is limited for each process, not for all together: ${here}`]),
    ...(held.has('cpu') ? [] : [`no limit of cpu time: ${here}`]),
    ...(held.has('pids')
      ? []
      : [`the number of processes is held by a limit of the user: ${here}`]),
  ];
}
