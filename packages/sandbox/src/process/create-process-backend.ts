import { mkdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ForgeError } from '@forge/core';
import { checkVariables } from '../checks/check-command.ts';
import { resolveLimits } from '../checks/resolve-limits.ts';
import { OwnedFolders } from '../owner/owned-folders.ts';
import { reapFirst } from '../owner/reap-first.ts';
import type {
  Availability,
  Sandbox,
  SandboxBackend,
  SandboxInfo,
  SandboxOptions,
} from '../sandbox.ts';
import { killMarked } from './marked-processes.ts';
import { foldersOf, ProcessSandbox } from './process-sandbox.ts';

export interface ProcessBackendOptions {
  /** Says that what runs here is trusted like the user who runs it. There is no other way in. */
  readonly trusted: true;
  /** Where programs are looked for. Default: the usual folders of the system. */
  readonly path?: string;
  /** Where the folders of sandboxes are made. Default: the folder for temporary files. */
  readonly folder?: string;
  readonly now?: () => number;
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What plain processes leave open. Shown wherever this backend is chosen. */
const cannot = [
  'no isolation: commands run as the user who runs Forge, and can read and change all that user can',
  'no limit of the network: commands reach all that this machine reaches',
  'no limit of memory for all commands together, only for each process',
  'no limit of disk space, only of the size of each file',
  'no limit of the number of processes, and none of cpu time',
  'a program that clears its environment and leaves its session can outlive its command',
];

/**
 * Plain child processes in a folder of their own, **for work you trust**: it holds nothing back.
 * Commands are ended with all they started, their environment holds nothing of ours, and their
 * folders are removed.
 */
export function createProcessBackend(options: ProcessBackendOptions): SandboxBackend {
  if (options.trusted !== true) {
    throw new ForgeError(
      'invalid_options',
      'Plain processes are no sandbox. Pass `trusted: true` if you trust all that will run, or use docker or bubblewrap.',
    );
  }
  return reapFirst(new ProcessBackend(options));
}

class ProcessBackend implements SandboxBackend {
  readonly name = 'process';
  readonly #path: string;
  readonly #folders: OwnedFolders;
  readonly #now: () => number;
  readonly #running = new Map<string, { readonly sandbox: Sandbox; readonly info: SandboxInfo }>();
  #closed = false;

  constructor({ path = usualPath, folder = tmpdir(), now = Date.now }: ProcessBackendOptions) {
    this.#path = path;
    this.#folders = new OwnedFolders({ parent: folder, kind: 'forge-process' });
    this.#now = now;
  }

  async probe(): Promise<Availability> {
    if (process.platform !== 'linux') {
      return {
        available: false,
        problem: 'Processes can only be found again by their mark on Linux.',
        fix: 'Use Docker on this machine.',
      };
    }
    return { available: true, version: `Linux, node ${process.versions.node}`, cannot };
  }

  async start(options: SandboxOptions = {}): Promise<Sandbox> {
    this.#check(options);
    const limits = resolveLimits(options.limits);
    checkVariables(options.env ?? {});
    const owned = await this.#folders.create();
    const remove = async () => {
      this.#running.delete(owned.id);
      await this.#folders.remove(owned);
    };
    try {
      const root = await realpath(owned.path);
      const { workspace, tmp, home } = foldersOf(root);
      for (const folder of [workspace, tmp, home]) await mkdir(folder);
      const base = { PATH: this.#path, HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8' };
      if (this.#closed) throw closedError();
      const sandbox = new ProcessSandbox({
        id: owned.id,
        inside: { root, workspace },
        limits,
        env: { ...base, ...options.env },
        onEnd: remove,
      });
      const labels = options.labels ?? {};
      const info = { id: owned.id, state: 'running', startedAt: this.#now(), labels } as const;
      this.#running.set(owned.id, { sandbox, info });
      return sandbox;
    } catch (error) {
      await remove();
      throw error;
    }
  }

  async list(): Promise<readonly SandboxInfo[]> {
    return [...this.#running.values()].map(({ info }) => info);
  }

  async reap(): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const folder of await this.#folders.abandoned()) {
      const killed = await killMarked(`${folder.id}.`);
      await this.#folders.remove(folder);
      removed.push(`sandbox ${folder.id}: its folder and ${killed} processes`);
    }
    return removed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map(({ sandbox }) => sandbox.stop()));
  }

  #check({ signal, network, image, caches }: SandboxOptions): void {
    if (this.#closed) throw closedError();
    if (signal?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
    if (network !== undefined && network.type !== 'full') {
      throw new ForgeError(
        'invalid_options',
        `Plain processes cannot be held to the network "${network.type}". Leave it out, or use docker or bubblewrap.`,
      );
    }
    if (image !== undefined || (caches?.length ?? 0) > 0) {
      throw new ForgeError('invalid_options', 'Plain processes have no image and no caches.');
    }
  }
}

function closedError(): ForgeError {
  return new ForgeError('not_running', 'This backend was closed.');
}
