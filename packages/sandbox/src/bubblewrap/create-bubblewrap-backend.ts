import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import { checkVariables } from '../checks/check-command.ts';
import { resolveLimits } from '../checks/resolve-limits.ts';
import { type OwnedFolder, OwnedFolders } from '../owner/owned-folders.ts';
import { reapFirst } from '../owner/reap-first.ts';
import type {
  Availability,
  Sandbox,
  SandboxBackend,
  SandboxInfo,
  SandboxOptions,
} from '../sandbox.ts';
import { beginSandbox } from './begin-sandbox.ts';
import { findCgroups } from './cgroup/find-cgroups.ts';
import { type Cgroup, killCgroup, makeCgroups, removeCgroup } from './cgroup/make-cgroup.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';

export interface BubblewrapBackendOptions {
  /** Default `bwrap`, looked for in the usual folders. */
  readonly program?: string;
  /** Further folders of this machine that commands may read, such as a toolchain's. */
  readonly expose?: readonly string[];
  /** Where folders for starting sandboxes are made. Default: the folder for temporary files. */
  readonly folder?: string;
  readonly now?: () => number;
}

/** The file in a sandbox's folder that lists its cgroups. */
const cgroupList = 'cgroups';

/**
 * Sandboxes made by `bwrap`: the programs of this machine, and nothing else of it. No daemon and no
 * image; a start takes milliseconds.
 */
export function createBubblewrapBackend(options: BubblewrapBackendOptions = {}): SandboxBackend {
  return reapFirst(new BubblewrapBackend(options));
}

class BubblewrapBackend implements SandboxBackend {
  readonly name = 'bubblewrap';
  readonly #program: string;
  readonly #expose: readonly string[];
  readonly #folders: OwnedFolders;
  readonly #now: () => number;
  readonly #running = new Map<string, { readonly sandbox: Sandbox; readonly info: SandboxInfo }>();
  #closed = false;

  constructor(options: BubblewrapBackendOptions) {
    this.#program = options.program ?? '/usr/bin/bwrap';
    this.#expose = options.expose ?? [];
    this.#folders = new OwnedFolders({
      parent: options.folder ?? tmpdir(),
      kind: 'forge-bubblewrap',
    });
    this.#now = options.now ?? Date.now;
  }

  async probe(signal?: AbortSignal): Promise<Availability> {
    return probeBubblewrap({
      program: this.#program,
      start: (options) => this.start(options),
      signal,
    });
  }

  async start(options: SandboxOptions = {}): Promise<Sandbox> {
    this.#check(options);
    const limits = resolveLimits(options.limits);
    checkVariables(options.env ?? {});
    const folder = await this.#folders.create();
    const labels = options.labels ?? {};
    const info = { id: folder.id, state: 'running', startedAt: this.#now(), labels } as const;
    let cgroups: readonly Cgroup[] = [];
    const remove = () => this.#remove(folder, cgroups);
    try {
      cgroups = await makeCgroups({
        homes: await findCgroups(),
        name: `forge-${folder.id}`,
        limits,
        announce: (cgroup) => appendFile(join(folder.path, cgroupList), `${cgroup}\n`),
      });
      const sandbox = await beginSandbox({
        id: folder.id,
        folder: folder.path,
        program: this.#program,
        expose: this.#expose,
        limits,
        network: options.network ?? { type: 'none' },
        env: options.env ?? {},
        cgroups,
        onEnd: remove,
        signal: options.signal,
      });
      this.#running.set(folder.id, { sandbox, info });
      if (!this.#closed) return sandbox;
      await sandbox.stop();
      throw closedError();
    } catch (error) {
      await remove();
      if (ForgeError.is(error)) throw error;
      throw new ForgeError('sandbox_failed', `bubblewrap: ${messageOf(error)}`, { cause: error });
    }
  }

  async list(): Promise<readonly SandboxInfo[]> {
    return [...this.#running.values()].map(({ info }) => info);
  }

  async reap(): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const folder of await this.#folders.abandoned()) {
      const list = await readFile(join(folder.path, cgroupList), 'utf8').catch(() => '');
      // Only what is named as ours: the list is a file, and files can be written.
      const own = list.split('\n').filter((line) => line.endsWith(`/forge-${folder.id}`));
      let gone = true;
      for (const cgroup of own) {
        await killCgroup(cgroup);
        gone = (await removeCgroup(cgroup)) && gone;
      }
      if (!gone) continue; // Something in it does not die; the next reaper tries again.
      await this.#folders.remove(folder);
      removed.push(`sandbox ${folder.id}: its folder and cgroups`);
    }
    return removed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map(({ sandbox }) => sandbox.stop()));
  }

  async #remove(folder: OwnedFolder, cgroups: readonly Cgroup[]): Promise<void> {
    this.#running.delete(folder.id);
    const gone = await Promise.all(cgroups.map((cgroup) => removeCgroup(cgroup.folder)));
    // The folder lists the cgroups: it stays for the reaper as long as one of them does.
    if (!gone.includes(false)) await this.#folders.remove(folder);
  }

  #check({ signal, image, caches }: SandboxOptions): void {
    if (this.#closed) throw closedError();
    if (signal?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
    if (image !== undefined || (caches?.length ?? 0) > 0) {
      throw new ForgeError(
        'invalid_options',
        'bubblewrap shows the programs of this machine: it has no image and no caches. Use docker for that.',
      );
    }
  }
}

function closedError(): ForgeError {
  return new ForgeError('not_running', 'This backend was closed.');
}
