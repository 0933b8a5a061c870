import { Readable } from 'node:stream';
import { ForgeError, messageOf } from '@forge/core';
import { checkCommand } from '../checks/check-command.ts';
import { checkPath, checkRange } from '../checks/check-path.ts';
import { isMissingContainer } from '../orchestrator/status.ts';
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
import type { OrchestratorClient } from './orchestrator-client.ts';
import { RemoteExecution } from './remote-execution.ts';
import { emptySchema, fileChunkSchema, tarChunkSchema, usageSchema } from './responses.ts';

export interface RemoteSandboxOptions {
  readonly id: string;
  readonly workspace: string;
  readonly limits: SandboxLimits;
  readonly client: OrchestratorClient;
  readonly callMs: number;
  readonly now: () => number;
  readonly onEnd: () => void;
}

const chunkBytes = 256 * 1024;

/** A container of an orchestrator. */
export class RemoteSandbox implements Sandbox {
  readonly backend = 'remote';
  readonly #options: RemoteSandboxOptions;
  readonly #executions = new Set<RemoteExecution>();
  #state: SandboxState = 'running';
  #problem = '';
  #stopped: Promise<void> | undefined;

  constructor(options: RemoteSandboxOptions) {
    this.#options = options;
  }

  get id(): string {
    return this.#options.id;
  }

  get workspace(): string {
    return this.#options.workspace;
  }

  get limits(): SandboxLimits {
    return this.#options.limits;
  }

  state(): SandboxState {
    return this.#state;
  }

  /** It ended, and not by our doing. */
  fail(problem: string): void {
    this.#end('failed', problem);
  }

  exec(command: Command, { signal }: ExecOptions = {}): Execution {
    this.#checkRunning();
    checkCommand(command);
    const { client, limits, now, id } = this.#options;
    const onGone = (problem: string) => this.fail(problem);
    const execution = new RemoteExecution({
      ...{ client, limits, now, command, signal, onGone },
      containerId: id,
    });
    this.#executions.add(execution);
    void execution.result.then(() => this.#executions.delete(execution));
    return execution;
  }

  async readFile(path: string, range?: ByteRange): Promise<FileContent> {
    this.#checkRunning();
    checkPath(path);
    const { offset, limit } = checkRange(range);
    return await this.#watch(async ({ client, id: containerId, callMs }) => {
      let size = 0;
      const parts: Uint8Array[] = [];
      const request = { containerId, path, offset, limit };
      const asked = { schema: fileChunkSchema, timeoutMs: callMs };
      for await (const chunk of client.read('ReadFile', request, asked)) {
        if (parts.length === 0) size = chunk.size;
        parts.push(chunk.bytes);
      }
      return { bytes: Buffer.concat(parts), size };
    });
  }

  async writeFile(path: string, content: Uint8Array | string, { mode }: WriteOptions = {}) {
    this.#checkRunning();
    checkPath(path);
    const bytes = Buffer.from(content);
    await this.#watch(({ client, id: containerId, callMs: timeoutMs }) => {
      const target = { containerId, path, ...(mode !== undefined && { mode }) };
      return client.send('WriteFile', [{ target }, ...chunksOf(bytes)], { timeoutMs });
    });
  }

  async copyIn(folder: string, tar: Readable): Promise<void> {
    try {
      this.#checkRunning();
      checkPath(folder);
      await this.#watch(({ client, id: containerId, callMs: timeoutMs }) => {
        const messages = (async function* () {
          yield { target: { containerId, folder } };
          for await (const bytes of tar) yield* chunksOf(bytes);
        })();
        return client.send('CopyIn', messages, { timeoutMs });
      });
    } finally {
      tar.destroy();
    }
  }

  async copyOut(path: string): Promise<Readable> {
    this.#checkRunning();
    checkPath(path);
    return await this.#watch(async ({ client, id: containerId, callMs }) => {
      const asked = { schema: tarChunkSchema, timeoutMs: callMs };
      const chunks = client.read('CopyOut', { containerId, path }, asked);
      // What is missing is said now, not when the stream is read.
      const first = await chunks.next();
      const bytes = async function* () {
        try {
          if (!first.done) yield first.value.bytes;
          for await (const chunk of chunks) yield chunk.bytes;
        } finally {
          await chunks.return();
        }
      };
      return Readable.from(bytes(), { objectMode: false });
    });
  }

  async stats(): Promise<SandboxStats> {
    this.#checkRunning();
    return await this.#watch(async ({ client, id: containerId, callMs: timeoutMs }) => {
      const asked = { schema: usageSchema, timeoutMs };
      const usage = await client.ask('GetResourceUsage', { containerId }, asked);
      const { cpuMs, memoryBytes, pids, diskBytes } = usage;
      const { networkReceivedBytes: receivedBytes, networkSentBytes: sentBytes } = usage;
      return {
        ...(cpuMs !== undefined && { cpuMs }),
        ...(memoryBytes !== undefined && { memoryBytes }),
        ...(pids !== undefined && { pids }),
        ...(diskBytes !== undefined && { diskBytes }),
        ...(receivedBytes !== undefined && {
          network: { receivedBytes, sentBytes: sentBytes ?? 0 },
        }),
      };
    });
  }

  stop({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#end('stopped', 'it was stopped.');
    const { client, id: containerId, callMs } = this.#options;
    try {
      const asked = { schema: emptySchema, timeoutMs: callMs + graceMs };
      await client.ask('DestroyContainer', { containerId, graceMs }, asked);
    } catch {
      // A server that cannot be reached destroys it by itself: its session is over.
      for (const execution of this.#executions) execution.kill();
    }
    await Promise.all([...this.#executions].map(({ result }) => result));
  }

  #end(state: SandboxState, problem: string): void {
    if (this.#state !== 'running') return;
    this.#state = state;
    this.#problem = problem;
    this.#options.onEnd();
  }

  async #watch<Value>(work: (options: RemoteSandboxOptions) => Promise<Value>): Promise<Value> {
    try {
      return await work(this.#options);
    } catch (error) {
      if (!isMissingContainer(error) && !ForgeError.is(error, 'not_running')) throw error;
      this.fail(messageOf(error));
      throw new ForgeError('not_running', messageOf(error), { cause: error });
    }
  }

  #checkRunning(): void {
    if (this.#state === 'running') return;
    throw new ForgeError('not_running', `The sandbox ${this.id} has ended: ${this.#problem}`);
  }
}

function* chunksOf(bytes: Uint8Array): Generator<{ bytes: Uint8Array }, void, void> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield { bytes: bytes.subarray(at, at + chunkBytes) };
  }
}
