import type { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
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
import { workspaceFolder } from './arguments.ts';
import { cgroupUsage } from './cgroup/cgroup-usage.ts';
import type { Cgroup } from './cgroup/make-cgroup.ts';
import type { BwrapProcess } from './start-bwrap.ts';

export interface BubblewrapSandboxOptions {
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly process: BwrapProcess;
  readonly shell: Shell;
  readonly cgroups: readonly Cgroup[];
  /** The way to allowed hosts, if there is one. */
  readonly egress: Egress | undefined;
  /** Called once when it has ended, to remove what belonged to it. */
  readonly onEnd: () => Promise<void>;
}

/** How often the first process is asked to take leave of dead children while commands run. */
const reapMs = 250;

/** Commands in namespaces of their own, made by `bwrap`. */
export class BubblewrapSandbox implements Sandbox {
  readonly backend = 'bubblewrap';
  readonly workspace = workspaceFolder;
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly #options: BubblewrapSandboxOptions;
  readonly #lifetime: NodeJS.Timeout;
  #state: SandboxState = 'running';
  #ending: Promise<void> | undefined;
  #running = 0;
  #reaper: NodeJS.Timeout | undefined;

  constructor(options: BubblewrapSandboxOptions) {
    this.#options = options;
    this.id = options.id;
    this.limits = options.limits;
    this.#lifetime = setTimeout(() => {
      this.#endAlone('stopped', 'The sandbox reached the end of its life (limits.lifetimeMs).');
    }, options.limits.lifetimeMs).unref();
    void options.process.ended.then((words) =>
      this.#endAlone('failed', `The sandbox ended: ${words}`),
    );
  }

  state(): SandboxState {
    return this.#state;
  }

  exec(command: Command, options?: ExecOptions): Execution {
    this.#checkRunning();
    const execution = this.#options.shell.exec(command, options);
    this.#running += 1;
    this.#reaper ??= setInterval(() => this.#reap(), reapMs).unref();
    void execution.result.then(() => {
      this.#running -= 1;
      this.#reap();
      if (this.#running > 0) return;
      clearInterval(this.#reaper);
      this.#reaper = undefined;
    });
    return execution;
  }

  async readFile(path: string, range?: ByteRange): Promise<FileContent> {
    this.#checkRunning();
    return this.#options.shell.readFile(path, range);
  }

  async writeFile(
    path: string,
    content: Uint8Array | string,
    options?: WriteOptions,
  ): Promise<void> {
    this.#checkRunning();
    return this.#options.shell.writeFile(path, content, options);
  }

  async copyIn(folder: string, tar: Readable): Promise<void> {
    this.#checkRunning();
    return this.#options.shell.copyIn(folder, tar);
  }

  async copyOut(path: string): Promise<Readable> {
    this.#checkRunning();
    return this.#options.shell.copyOut(path);
  }

  async stats(): Promise<SandboxStats> {
    this.#checkRunning();
    const argv = ['df', '-Pk', this.workspace] as const;
    const { stdout } = await this.#options.shell.exec({ argv }).result;
    const kilobytes = Number(
      Buffer.from(stdout).toString().trim().split('\n').at(-1)?.split(/\s+/)[2],
    );
    const disk = Number.isFinite(kilobytes) ? { diskBytes: kilobytes * 1024 } : {};
    const { cgroups, egress } = this.#options;
    const network = egress === undefined ? {} : { network: egress.traffic() };
    return { ...(await cgroupUsage(cgroups)), ...disk, ...network };
  }

  async stop({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    return this.end('stopped', 'The sandbox was stopped.', graceMs);
  }

  /** Ends it with nobody there to hear of a failure: what cannot be removed is left to the reaper. */
  #endAlone(state: 'stopped' | 'failed', problem: string): void {
    this.end(state, problem).catch(() => undefined);
  }

  /** Ends all of it; the first call says how. */
  end(state: 'stopped' | 'failed', problem: string, graceMs = 0): Promise<void> {
    this.#ending ??= this.#endAll(state, problem, graceMs);
    return this.#ending;
  }

  async #endAll(state: 'stopped' | 'failed', problem: string, graceMs: number): Promise<void> {
    this.#state = state;
    clearTimeout(this.#lifetime);
    const { shell, process, egress, onEnd } = this.#options;
    if (graceMs > 0) await shell.settle(graceMs);
    clearInterval(this.#reaper);
    shell.end(problem);
    process.child.kill('SIGKILL'); // With it goes all that is inside: they die with their parent.
    await process.ended;
    await egress?.close();
    await onEnd();
  }

  #reap(): void {
    const { input } = this.#options.process;
    if (!input.writableNeedDrain) input.write('\n');
  }

  #checkRunning(): void {
    if (this.#state !== 'running') {
      throw new ForgeError('not_running', 'This sandbox has ended. Start another one.');
    }
  }
}
