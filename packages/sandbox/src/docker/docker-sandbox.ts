import type { Duplex, Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import type { Container } from 'dockerode';
import type { Shell } from '../channel/shell.ts';
import type { Egress } from '../egress/open-egress.ts';
import type {
  ByteRange,
  Command,
  ExecOptions,
  Execution,
  FileContent,
  Sandbox,
  SandboxLimits,
  SandboxState,
  SandboxStats,
  WriteOptions,
} from '../sandbox.ts';
import { workspace } from './container-options.ts';
import { inTime } from './in-time.ts';
import { readStats } from './read-stats.ts';
import { removeContainer } from './remove-container.ts';

/** What a container that has been started consists of. */
export interface StartedContainer {
  readonly container: Container;
  /** The input that keeps it alive. */
  readonly lifeline: Duplex;
  /** Settles once it is gone, however that came. */
  readonly gone: Promise<void>;
  /** Waits for that no longer. */
  readonly forget: () => void;
  /** The most a removal may take. */
  readonly removeMs: number;
  readonly shell: Shell;
  readonly egress?: Egress | undefined;
}

export interface DockerSandboxOptions extends StartedContainer {
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly onEnd: () => void;
}

/** Commands in a container of its own. */
export class DockerSandbox implements Sandbox {
  readonly backend = 'docker';
  readonly workspace = workspace;
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly #options: DockerSandboxOptions;
  readonly #lifetime: NodeJS.Timeout;
  #state: SandboxState = 'running';
  #problem = '';
  #ending: Promise<void> | undefined;

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    this.id = options.id;
    this.limits = options.limits;
    this.#lifetime = setTimeout(() => {
      this.#fail('stopped', 'The sandbox reached the end of its life (limits.lifetimeMs).');
    }, options.limits.lifetimeMs).unref();
    void options.gone.then(() =>
      this.#fail('failed', 'The container ended, or was removed from outside.'),
    );
  }

  state(): SandboxState {
    return this.#state;
  }

  exec(command: Command, options?: ExecOptions): Execution {
    return this.#running().exec(command, options);
  }

  async readFile(path: string, range?: ByteRange): Promise<FileContent> {
    return this.#running().readFile(path, range);
  }

  async writeFile(
    path: string,
    content: Uint8Array | string,
    options?: WriteOptions,
  ): Promise<void> {
    return this.#running().writeFile(path, content, options);
  }

  async copyIn(folder: string, tar: Readable): Promise<void> {
    return this.#running().copyIn(folder, tar);
  }

  async copyOut(path: string): Promise<Readable> {
    return this.#running().copyOut(path);
  }

  async stats(): Promise<SandboxStats> {
    const shell = this.#running();
    const { container, egress, removeMs: ms } = this.#options;
    const { stdout } = await shell.exec({ argv: ['df', '-Pk', workspace] }).result;
    const used = Number(Buffer.from(stdout).toString().trim().split('\n').at(-1)?.split(/\s+/)[2]);
    const network = egress?.traffic();
    const asked = await inTime({ ms, what: 'say what a container uses' }, (abortSignal) => {
      const options = { stream: false, 'one-shot': true, abortSignal } as const;
      return container.stats(options);
    });
    return {
      ...readStats(asked),
      ...(Number.isFinite(used) ? { diskBytes: used * 1024 } : {}),
      ...(network === undefined ? {} : { network }),
    };
  }

  stop({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    return this.end('stopped', 'The sandbox was stopped.', graceMs);
  }

  /** Ends all of it; the first call says how. */
  end(state: 'stopped' | 'failed', problem: string, graceMs = 0): Promise<void> {
    this.#ending ??= this.#endAll(state, problem, graceMs);
    return this.#ending;
  }

  /** Ends it with nobody waiting: where the daemon is gone too, there is nobody to tell. */
  #fail(state: 'stopped' | 'failed', problem: string): void {
    this.end(state, problem).catch(() => {});
  }

  #running(): Shell {
    if (this.#state !== 'running') throw new ForgeError('not_running', this.#problem);
    return this.#options.shell;
  }

  async #endAll(state: 'stopped' | 'failed', problem: string, graceMs: number): Promise<void> {
    const { shell, onEnd } = this.#options;
    this.#state = state;
    this.#problem = problem;
    clearTimeout(this.#lifetime);
    if (graceMs > 0) await shell.settle(graceMs);
    shell.end(problem);
    try {
      await discard(this.#options);
    } finally {
      onEnd();
    }
  }
}

/**
 * Removes a container and lets go of all that hangs on it. Streams first: see `Shell.end`. Where the
 * daemon is silent this fails, but without its lifeline the container ends by itself.
 */
export async function discard({
  lifeline,
  egress,
  container,
  gone,
  forget,
  removeMs,
}: Omit<StartedContainer, 'shell'>): Promise<void> {
  lifeline.destroy();
  await egress?.close();
  try {
    await removeContainer(container, removeMs);
    await inTime({ ms: removeMs, what: 'say that a container is gone' }, () => gone);
  } finally {
    forget();
  }
}
