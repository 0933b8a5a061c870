import type { ContainerCreateOptions } from 'dockerode';
import type { Network, SandboxLimits } from '../sandbox.ts';
import { cacheFolder } from './caches.ts';
import { seccompProfile } from './seccomp-profile.ts';
import { commandUser, keeperUser } from './users.ts';

export const workspace = '/workspace';
/** For a few bytes per channel; the container's own shared memory, in every image. */
export const scratch = '/dev/shm';

export interface ContainerPlan {
  readonly image: string;
  readonly limits: SandboxLimits;
  readonly network: Network;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of volumes by the names of caches. */
  readonly caches: ReadonlyMap<string, string>;
  readonly runtime?: string;
  /** Folders the image declares as volumes. */
  readonly volumes: readonly string[];
}

/**
 * A container that holds: no capability, no new privileges, our own seccomp profile, nothing
 * writable but tmpfs of a set size, no network of its own, no log, every limit set, and an init that
 * reaps. Its one process of its own reads an input that we hold open: when we are gone, so is the
 * container, and it never lives longer than its limit.
 */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions {
  const { image, limits, network, labels, caches, runtime, volumes } = plan;
  const seconds = Math.ceil(limits.lifetimeMs / 1000) + 5;
  const tmpfs = (mode: string) =>
    `rw,exec,nosuid,nodev,size=${limits.diskBytes},uid=${commandUser},gid=${commandUser},mode=${mode}`;
  return {
    Image: image,
    Entrypoint: [],
    Cmd: ['timeout', '-s', 'KILL', `${seconds}`, 'cat'],
    User: `${keeperUser}:${keeperUser}`,
    WorkingDir: '/',
    Hostname: 'sandbox',
    Env: ['HOME=/tmp', 'LANG=C.UTF-8'],
    Labels: { ...labels },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: false,
    AttachStderr: false,
    StopSignal: 'SIGKILL',
    // One of the image's would run beside all commands, as the user that keeps the container alive.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      AutoRemove: true,
      Init: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${seccompProfile()}`],
      ReadonlyRootfs: true,
      NetworkMode: network.type === 'full' ? 'bridge' : 'none',
      IpcMode: 'private',
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      PidsLimit: limits.pids,
      ShmSize: Math.min(limits.diskBytes, 64 * 1024 * 1024),
      Tmpfs: {
        // Docker would lay them out on this machine's disk, where nothing holds their size.
        ...Object.fromEntries(volumes.map((folder) => [folder, tmpfs('0755')])),
        [workspace]: tmpfs('0755'),
        '/tmp': tmpfs('1777'),
      },
      Mounts: [...caches].map(([name, volume]) => ({
        Type: 'volume',
        Source: volume,
        Target: cacheFolder(name),
      })),
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'fsize', Soft: limits.diskBytes, Hard: limits.diskBytes },
      ],
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: '' },
      ...(runtime === undefined ? {} : { Runtime: runtime }),
    },
  };
}
