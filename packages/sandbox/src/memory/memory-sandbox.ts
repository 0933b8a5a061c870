import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import { checkCommand } from '../checks/check-command.ts';
import { checkPath } from '../checks/check-path.ts';
import { Turns } from '../process/turns.ts';
import type {
  ByteRange,
  Command,
  ExecOptions,
  Execution,
  FileContent,
  Sandbox,
  SandboxInfo,
  SandboxLimits,
  SandboxState,
  SandboxStats,
  WriteOptions,
} from '../sandbox.ts';
import { MemoryExecution } from './memory-execution.ts';
import { type MemoryFiles, workspace } from './memory-files.ts';
import { pack, unpack } from './memory-tar.ts';
import type { Shells } from './shells.ts';

export interface MemorySandboxOptions {
  readonly files: MemoryFiles;
  readonly shells: Shells;
  readonly limits: SandboxLimits;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly onEnd: () => void;
}

const ownEnvironment = { PATH: '/usr/bin:/bin', HOME: workspace, LANG: 'C.UTF-8' };

export class MemorySandbox implements Sandbox {
  readonly id = `memory-${randomUUID()}`;
  readonly backend = 'memory';
  readonly workspace = workspace;
  readonly #options: MemorySandboxOptions;
  readonly #turns: Turns;
  readonly #startedAt: number;
  readonly #lifetime: NodeJS.Timeout;
  readonly #executions = new Set<MemoryExecution>();
  #state: SandboxState = 'running';
  #stopped: Promise<void> | undefined;

  constructor(options: MemorySandboxOptions) {
    this.#options = options;
    this.#turns = new Turns(options.limits.commands);
    this.#startedAt = options.now();
    this.#lifetime = setTimeout(() => {
      void this.#end('failed', 'The sandbox is over its lifetime.');
    }, options.limits.lifetimeMs);
    this.#lifetime.unref();
  }

  get limits(): SandboxLimits {
    return this.#options.limits;
  }

  state(): SandboxState {
    return this.#state;
  }

  info(): SandboxInfo {
    const { labels } = this.#options;
    return { id: this.id, state: this.#state, startedAt: this.#startedAt, labels };
  }

  exec(command: Command, { signal }: ExecOptions = {}): Execution {
    this.#checkRunning();
    checkCommand(command);
    const { files, shells, env, limits, now } = this.#options;
    const execution = new MemoryExecution({
      command: { ...command, env: { ...ownEnvironment, ...env, ...command.env } },
      files,
      shells,
      limits,
      now,
      turns: this.#turns,
      signal,
    });
    this.#executions.add(execution);
    void execution.result.then(() => this.#executions.delete(execution));
    return execution;
  }

  async readFile(path: string, range?: ByteRange): Promise<FileContent> {
    this.#checkRunning();
    return await this.#options.files.read(path, range);
  }

  async writeFile(path: string, content: Uint8Array | string, options?: WriteOptions) {
    this.#checkRunning();
    await this.#options.files.write(path, content, options);
  }

  async copyIn(folder: string, tar: Readable): Promise<void> {
    try {
      this.#checkRunning();
      checkPath(folder);
      const maxBytes = this.limits.diskBytes;
      await unpack(this.#options.files, { folder, tar, maxBytes });
    } finally {
      tar.destroy();
    }
  }

  async copyOut(path: string): Promise<Readable> {
    this.#checkRunning();
    return Readable.from(await pack(this.#options.files, path), { objectMode: false });
  }

  async stats(): Promise<SandboxStats> {
    this.#checkRunning();
    const diskBytes = await this.#options.files.sizeOf(workspace);
    return { diskBytes, pids: this.#executions.size - this.#turns.waiting };
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end('stopped', 'The sandbox was stopped.');
    return this.#stopped;
  }

  async #end(state: SandboxState, problem: string): Promise<void> {
    clearTimeout(this.#lifetime);
    if (this.#state === 'running') {
      this.#state = state;
      this.#options.onEnd();
    }
    const executions = [...this.#executions];
    for (const execution of executions) execution.end({ type: 'sandbox_ended', problem });
    await Promise.all(executions.map(({ result }) => result));
  }

  #checkRunning(): void {
    if (this.#state === 'running') return;
    throw new ForgeError('not_running', `The sandbox ${this.id} has ended. Start another one.`);
  }
}
