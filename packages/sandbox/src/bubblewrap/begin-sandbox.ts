import { chmod, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import { openShell } from '../channel/shell.ts';
import { ShellSandbox } from '../channel/shell-sandbox.ts';
import { type Egress, openEgress } from '../egress/open-egress.ts';
import type { Network, SandboxLimits } from '../sandbox.ts';
import { bubblewrapArguments, nobody, workspaceFolder } from './arguments.ts';
import { bubblewrapGround } from './bubblewrap-ground.ts';
import { memoryKills } from './cgroup/cgroup-usage.ts';
import { type Cgroup, joinCgroups } from './cgroup/make-cgroup.ts';
import { Doors } from './doors.ts';
import { writeEtc } from './etc-files.ts';
import { initScript } from './init-script.ts';
import { type BwrapProcess, startBwrap } from './start-bwrap.ts';

export interface BeginSandbox {
  readonly id: string;
  /** Of the host, for this sandbox alone. */
  readonly folder: string;
  readonly program: string;
  readonly expose: readonly string[];
  readonly limits: SandboxLimits;
  readonly network: Network;
  readonly env: Readonly<Record<string, string>>;
  readonly cgroups: readonly Cgroup[];
  readonly onEnd: () => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts `bwrap` and opens the shell in it. Fails with nothing left running. */
export async function beginSandbox(options: BeginSandbox): Promise<ShellSandbox> {
  const { id, folder, limits, cgroups, signal, onEnd } = options;
  // As root's own, files of the host would be the sandbox's too: there it runs as nobody.
  const user = process.getuid?.() === 0 ? nobody : undefined;
  await chmod(folder, 0o711);
  const etc = await writeEtc(folder);
  const doors = join(folder, 'doors');
  await mkdir(doors, { mode: 0o700 });
  if (user !== undefined) await chown(doors, user, user);
  const heldMemory = cgroups.some(({ held }) => held.includes('memory'));
  const own = await startBwrap({
    program: options.program,
    args: (seccompFd) =>
      bubblewrapArguments({
        limits,
        network: options.network,
        etc,
        doors,
        env: { PATH: path, HOME: '/tmp', LANG: 'C.UTF-8' },
        expose: options.expose,
        seccompFd,
      }),
    script: initScript(limits, heldMemory ? 'cgroup' : 'each process'),
    folder,
    user,
    onSpawn: (pid) => joinCgroups(cgroups, pid),
    signal,
  });
  let sandbox: ShellSandbox | undefined;
  let egress: Egress | undefined;
  try {
    egress = await wayOut(options, own);
    const shell = await openShell({
      open: new Doors({ folder: doors, user, input: own.input, answers: own.answers }).open,
      workspace: workspaceFolder,
      scratch: '/tmp',
      limits,
      // Not in the arguments of bwrap: everybody on this machine may read those.
      env: { ...egress?.variables, ...options.env },
      memoryKills: () => memoryKills(cgroups),
      ended: () => howItEnded(own),
      onBroken: (problem) => sandbox?.endAlone('failed', problem),
      ...(signal === undefined ? {} : { signal }),
    });
    const ground = bubblewrapGround({ process: own, shell, egress, cgroups, onEnd });
    sandbox = new ShellSandbox({ id, limits, ground });
    return sandbox;
  } catch (error) {
    own.child.kill('SIGKILL');
    await own.ended;
    await egress?.close();
    throw error;
  }
}

/** The proxy to allowed hosts, on the loopback of the sandbox: it has no other network. */
async function wayOut(
  { network, signal }: BeginSandbox,
  { child }: BwrapProcess,
): Promise<Egress | undefined> {
  if (network.type !== 'allow') return undefined;
  // The only child of bwrap is the first process of the sandbox.
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  const pid = Number(children.trim().split(' ')[0]);
  if (!(pid > 0)) throw new ForgeError('sandbox_failed', 'The sandbox ended while it was started.');
  return openEgress({ hosts: network.hosts, pid, ...(signal === undefined ? {} : { signal }) });
}

/** How long the news that a process is dead may take after its pipes have closed. */
const newsMs = 200;

async function howItEnded({ ended }: BwrapProcess): Promise<string | undefined> {
  const stop = new AbortController();
  const waited = delay(newsMs, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await Promise.race([ended.then((words) => `The sandbox ended: ${words}`), waited]);
  } finally {
    stop.abort();
  }
}
