import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import { checkCommand, timeFor } from '../checks/check-command.ts';
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
import { fullPath, type Inside } from './inside-path.ts';
import { findMarked, killMarked } from './marked-processes.ts';
import { ProcessCommand } from './process-command.ts';
import { copyInside, copyOutside, readInside, writeInside } from './process-files.ts';
import { Turns } from './turns.ts';

export interface ProcessSandboxOptions {
  readonly id: string;
  readonly inside: Inside;
  readonly limits: SandboxLimits;
  readonly env: Readonly<Record<string, string>>;
  /** Called once when all is ended, to remove its folder. */
  readonly onEnd: () => Promise<void>;
}

/** Child processes that start in a folder of their own. Nothing keeps them there. */
export class ProcessSandbox implements Sandbox {
  readonly backend = 'process';
  readonly id: string;
  readonly workspace: string;
  readonly limits: SandboxLimits;
  readonly #options: ProcessSandboxOptions;
  readonly #turns: Turns;
  readonly #commands = new Set<ProcessCommand>();
  readonly #lifetime: NodeJS.Timeout;
  #count = 0;
  #stopping: Promise<void> | undefined;

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
    this.id = options.id;
    this.workspace = options.inside.workspace;
    this.limits = options.limits;
    this.#turns = new Turns(options.limits.commands);
    this.#lifetime = setTimeout(() => {
      // A folder that cannot be removed is left to the reaper.
      this.#end('The sandbox reached the end of its life (limits.lifetimeMs).', 0).catch(
        () => undefined,
      );
    }, options.limits.lifetimeMs).unref();
  }

  state(): SandboxState {
    return this.#stopping === undefined ? 'running' : 'stopped';
  }

  exec(command: Command, { signal }: ExecOptions = {}): Execution {
    this.#checkRunning();
    checkCommand(command);
    const { inside, env } = this.#options;
    this.#count += 1;
    const execution = new ProcessCommand({
      command,
      cwd: command.cwd === undefined ? this.workspace : fullPath(inside, command.cwd),
      env: { ...env, ...command.env },
      mark: `${this.id}.${this.#count};`,
      limits: this.limits,
      timeoutMs: timeFor(command, this.limits),
      turns: this.#turns,
      signal,
    });
    this.#commands.add(execution);
    void execution.result.finally(() => this.#commands.delete(execution));
    return execution;
  }

  async readFile(path: string, range?: ByteRange): Promise<FileContent> {
    this.#checkRunning();
    return readInside(this.#options.inside, path, range);
  }

  async writeFile(
    path: string,
    content: Uint8Array | string,
    options: WriteOptions = {},
  ): Promise<void> {
    this.#checkRunning();
    return writeInside(this.#options.inside, path, { content, ...options });
  }

  async copyIn(folder: string, tar: Readable): Promise<void> {
    this.#checkRunning();
    return copyInside(this.#options.inside, folder, tar);
  }

  async copyOut(path: string): Promise<Readable> {
    this.#checkRunning();
    return copyOutside(this.#options.inside, path);
  }

  async stats(): Promise<SandboxStats> {
    this.#checkRunning();
    return { pids: findMarked(`${this.id}.`).length };
  }

  stop({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    return this.#end('The sandbox was stopped.', graceMs);
  }

  #end(problem: string, graceMs: number): Promise<void> {
    this.#stopping ??= this.#endAll(problem, graceMs);
    return this.#stopping;
  }

  async #endAll(problem: string, graceMs: number): Promise<void> {
    clearTimeout(this.#lifetime);
    const commands = [...this.#commands];
    if (graceMs > 0 && commands.length > 0) await this.#beg(commands, graceMs);
    for (const command of commands) command.endWith({ type: 'sandbox_ended', problem });
    await Promise.all(commands.map(({ result }) => result));
    await killMarked(`${this.id}.`);
    await this.#options.onEnd();
  }

  /** Asks all commands to end, and waits for as long as they have. */
  async #beg(commands: readonly ProcessCommand[], graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    for (const command of commands) command.terminate();
    await Promise.race([over, Promise.all(commands.map(({ result }) => result))]);
    clearTimeout(timer);
  }

  #checkRunning(): void {
    if (this.#stopping !== undefined) {
      throw new ForgeError('not_running', 'This sandbox has ended. Start another one.');
    }
  }
}

/** The folders of a sandbox: the workspace, and one each for temporary files and a home. */
export function foldersOf(root: string): { workspace: string; tmp: string; home: string } {
  return { workspace: join(root, 'workspace'), tmp: join(root, 'tmp'), home: join(root, 'home') };
}
