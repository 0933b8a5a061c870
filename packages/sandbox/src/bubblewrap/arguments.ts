import { lstatSync, readlinkSync } from 'node:fs';
import type { Network, SandboxLimits } from '../sandbox.ts';
import { doorFolder } from './init-script.ts';

/** The workspace as commands inside see it. */
export const workspaceFolder = '/workspace';

/** Who commands run as inside: nobody. */
export const nobody = 65534;

/** Folders of programs. Where a system keeps them under /usr, these are links. */
const programFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What programs look for in /etc and that holds no secret. */
const harmlessEtc = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/protocols',
  '/etc/services',
];

/** In /proc, and of no use to commands: it tells of the machine, its keys and its memory. */
const hiddenProc = [
  'acpi',
  'asound',
  'interrupts',
  'kallsyms',
  'kcore',
  'keys',
  'key-users',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'latency_stats',
  'modules',
  'sched_debug',
  'scsi',
  'sysrq-trigger',
  'timer_list',
  'vmallocinfo',
];

export interface BubblewrapArguments {
  readonly limits: SandboxLimits;
  readonly network: Network;
  /** On the host: files for /etc, and what the first process starts. */
  readonly etc: string;
  readonly doors: string;
  readonly env: Readonly<Record<string, string>>;
  /** Further folders of the host that may be read. */
  readonly expose: readonly string[];
  readonly seccompFd: number;
}

/** What `bwrap` is called with, up to the command. */
export function bubblewrapArguments(options: BubblewrapArguments): string[] {
  const { limits, network, etc, doors, env, expose, seccompFd } = options;
  const size = String(limits.diskBytes);
  return [
    ...['--unshare-all', ...(network.type === 'full' ? ['--share-net'] : [])],
    ...['--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL'],
    ...['--uid', String(nobody), '--gid', String(nobody), '--hostname', 'sandbox'],
    ...['--seccomp', String(seccompFd), '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr', ...programFolders.flatMap(programFolder)],
    ...['--proc', '/proc', ...hiddenProc.flatMap(hide)],
    ...['--dev', '/dev', '--size', size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['passwd', 'group', 'hosts', 'nsswitch.conf'].flatMap((name) => [
      '--ro-bind',
      `${etc}/${name}`,
      `/etc/${name}`,
    ]),
    ...harmlessEtc.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(network.type === 'full' ? ['--ro-bind-try', '/etc/resolv.conf', '/etc/resolv.conf'] : []),
    ...['--ro-bind', doors, doorFolder],
    ...['--perms', '1777', '--size', size, '--tmpfs', '/tmp'],
    ...['--size', size, '--tmpfs', workspaceFolder, '--chdir', workspaceFolder],
    ...expose.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...['--remount-ro', '/'],
  ];
}

function programFolder(path: string): string[] {
  const about = lstatSync(path, { throwIfNoEntry: false });
  if (about?.isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return about?.isDirectory() ? ['--ro-bind', path, path] : [];
}

function hide(name: string): string[] {
  const about = lstatSync(`/proc/${name}`, { throwIfNoEntry: false });
  if (about === undefined) return [];
  const path = `/proc/${name}`;
  return about.isDirectory()
    ? ['--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path];
}
