import type { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import type { Egress } from '../egress/open-egress.ts';
import type {
  BackendName,
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
import type { Shell } from './shell.ts';

/** What a backend has started, with a shell open in it: a container, a `bwrap`. */
export interface Ground {
  readonly backend: BackendName;
  readonly workspace: string;
  readonly shell: Shell;
  readonly egress?: Egress | undefined;
  /** Settles once it is gone, however that came, with what to say of it. */
  readonly gone: Promise<string>;
  /** Of all that runs in it; the disk and the network are known here. */
  usage(): Promise<SandboxStats>;
  /** Told of every command. */
  onExec?(execution: Execution): void;
  /** Ends and removes it, after its shell. Called once. */
  remove(): Promise<void>;
}

/** A sandbox whose commands and files go over shells that are kept open inside. */
export class ShellSandbox implements Sandbox {
  readonly id: string;
  readonly backend: BackendName;
  readonly workspace: string;
  readonly limits: SandboxLimits;
  readonly #ground: Ground;
  readonly #lifetime: NodeJS.Timeout;
  #state: SandboxState = 'running';
  #problem = '';
  #ending: Promise<void> | undefined;

  constructor({
    id,
    limits,
    ground,
  }: {
    readonly id: string;
    readonly limits: SandboxLimits;
    readonly ground: Ground;
  }) {
    this.id = id;
    this.limits = limits;
    this.backend = ground.backend;
    this.workspace = ground.workspace;
    this.#ground = ground;
    this.#lifetime = setTimeout(() => {
      this.endAlone('stopped', 'The sandbox reached the end of its life (limits.lifetimeMs).');
    }, limits.lifetimeMs).unref();
    void ground.gone.then((words) => this.endAlone('failed', words));
  }

  state(): SandboxState {
    return this.#state;
  }

  exec(command: Command, options?: ExecOptions): Execution {
    const execution = this.#running().exec(command, options);
    this.#ground.onExec?.(execution);
    return execution;
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
    const argv = ['df', '-Pk', this.workspace] as const;
    const { stdout } = await this.#running().exec({ argv }).result;
    const used = Number(Buffer.from(stdout).toString().trim().split('\n').at(-1)?.split(/\s+/)[2]);
    const { egress } = this.#ground;
    return {
      ...(await this.#ground.usage()),
      ...(Number.isFinite(used) && { diskBytes: used * 1024 }),
      ...(egress !== undefined && { network: egress.traffic() }),
    };
  }

  async stop({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    return this.#end('stopped', 'The sandbox was stopped.', graceMs);
  }

  /** Ends it with nobody there to hear of a failure: what cannot be removed is left to the reaper. */
  endAlone(state: 'stopped' | 'failed', problem: string): void {
    this.#end(state, problem).catch(() => {});
  }

  /** The first call says how. */
  #end(state: 'stopped' | 'failed', problem: string, graceMs = 0): Promise<void> {
    this.#ending ??= this.#endAll(state, problem, graceMs);
    return this.#ending;
  }

  async #endAll(state: 'stopped' | 'failed', problem: string, graceMs: number): Promise<void> {
    const { shell } = this.#ground;
    this.#state = state;
    this.#problem = problem;
    clearTimeout(this.#lifetime);
    if (graceMs > 0) await shell.settle(graceMs);
    // Streams first: see `Shell.end`.
    shell.end(problem);
    await this.#ground.remove();
  }

  #running(): Shell {
    if (this.#state === 'running') return this.#ground.shell;
    throw new ForgeError('not_running', `${this.#problem} Start another one.`);
  }
}
