import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ForgeError, messageOf } from '@forge/core';
import type Docker from 'dockerode';
import { OwnedFolders } from '../owner/owned-folders.ts';
import type { OnProgress } from './build-image.ts';
import { dockerMessages } from './docker-messages.ts';

export interface BootstrapOptions {
  readonly docker: Docker;
  readonly suite: string;
  readonly mirror: string;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** Makes an image of Debian's packages alone, for machines that can pull none. */
export async function bootstrapRootfs(options: BootstrapOptions): Promise<void> {
  if (process.getuid?.() !== 0) throw cannot('it takes root');
  const folders = new OwnedFolders({ parent: tmpdir(), kind: 'forge-rootfs' });
  for (const left of await folders.abandoned()) await folders.remove(left);
  const folder = await folders.create();
  try {
    await debootstrap(folder.path, options);
    await slim(folder.path, options);
    await importFolder(folder.path, options);
  } finally {
    await folders.remove(folder);
  }
}

async function debootstrap(folder: string, options: BootstrapOptions): Promise<void> {
  const { suite, mirror, onProgress, signal } = options;
  onProgress(`Fetching Debian ${suite} from ${mirror} (about a minute)`, { detail: false });
  const child = start('unshare', [
    // What it mounts is gone with it, so that nothing of this machine is in the folder when that
    // is removed.
    ...['--mount', 'debootstrap', '--variant=minbase', suite, folder, mirror],
  ]);
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  let last = '';
  try {
    createInterface({ input: child.stderr }).on('line', (line) => {
      last = line;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (/^[EW]: /.test(line)) last = line;
      if (/^I: (?:Retrieving|Validating|Extracting|Unpacking|Configuring)/.test(line)) return;
      onProgress(line.replace(/^I: /, ''), { detail: true });
    });
    const code = await ended(child);
    if (signal.aborted) throw new ForgeError('cancelled', 'It was cancelled.');
    if (code !== 0) throw cannot(`debootstrap failed: ${last}`);
  } catch (error) {
    if (ForgeError.is(error)) throw error;
    throw cannot(`debootstrap could not be started: ${messageOf(error)}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Without packages already unpacked, manuals and translations, now and for all that is added. */
async function slim(folder: string, { suite, mirror }: BootstrapOptions): Promise<void> {
  const paths = [
    '/usr/share/doc/*',
    '/usr/share/man/*',
    '/usr/share/info/*',
    '/usr/share/locale/*',
  ];
  const config = join(folder, 'etc/dpkg/dpkg.cfg.d');
  await mkdir(config, { recursive: true });
  const excludes = paths.map((path) => `path-exclude=${path}\n`).join('');
  await writeFile(join(config, '01-slim'), excludes);
  const security = mirror.endsWith('/debian')
    ? [`deb ${mirror}-security ${suite}-security main`, `deb ${mirror} ${suite}-updates main`]
    : [];
  const sources = [`deb ${mirror} ${suite} main`, ...security, ''].join('\n');
  await writeFile(join(folder, 'etc/apt/sources.list'), sources);
  const junk = ['var/cache/apt', 'var/lib/apt/lists', 'var/log', ...paths.map(relative)];
  for (const path of junk) {
    await rm(join(folder, path), { recursive: true, force: true });
    await mkdir(join(folder, path), { recursive: true });
  }
}

function relative(path: string): string {
  return path.slice(1, -2);
}

async function importFolder(folder: string, options: BootstrapOptions): Promise<void> {
  const { docker, tag, labels, onProgress, signal } = options;
  onProgress('Importing it as an image', { detail: false });
  const [repo = tag, version = 'latest'] = tag.split(':');
  const changes = Object.entries(labels).map(
    ([key, value]) => `LABEL ${key}=${JSON.stringify(value)}`,
  );
  const exclude = ['--exclude=./proc/*', '--exclude=./sys/*', '--exclude=./dev/*'];
  const tar = start('tar', ['-C', folder, ...exclude, '--numeric-owner', '-cf', '-', '.']);
  tar.stderr.resume();
  try {
    const importing = docker.importImage(tar.stdout, { repo, tag: version, changes });
    for await (const _ of dockerMessages(await importing, signal));
    const code = await ended(tar);
    if (code !== 0) throw cannot('tar failed');
  } finally {
    killGroup(tar);
  }
}

/** In a group of its own, so that what it starts ends with it. */
function start(program: string, args: readonly string[]) {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
  return spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  await once(child, 'exit');
  return child.exitCode;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended just now.
  }
}

function cannot(why: string): ForgeError {
  return new ForgeError(
    'sandbox_failed',
    `No Debian image can be made here: ${why}. ` +
      'Run it as root where debootstrap is installed (apt-get install debootstrap), ' +
      'or start from an image you have: forge sandbox build base --from debian:12',
  );
}
