import { randomUUID } from 'node:crypto';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { OutputLog } from '../channel/output-log.ts';
import { exitCodeOf } from '../checks/exit-code-of.ts';
import { fromCommandEnd } from '../orchestrator/command-end.ts';
import { fromStatus, isLostConnection } from '../orchestrator/status.ts';
import type {
  Command,
  ExecEnd,
  ExecResult,
  Execution,
  OutputChunk,
  SandboxLimits,
} from '../sandbox.ts';
import type { OrchestratorClient } from './orchestrator-client.ts';
import { commandEventSchema, killedSchema } from './responses.ts';

export interface RemoteExecutionOptions {
  readonly client: OrchestratorClient;
  readonly containerId: string;
  readonly command: Command;
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal | undefined;
  readonly now: () => number;
  /** The server says that the container is no more. */
  readonly onGone: (problem: string) => void;
}

/** How long the server has to end a command it was told to kill, before the call itself is ended. */
const killMs = 5_000;
const killAgainMs = 20;

/** A command under way on another machine. */
export class RemoteExecution implements Execution {
  readonly result: Promise<ExecResult>;
  readonly #options: RemoteExecutionOptions;
  readonly #log: OutputLog;
  readonly #id = randomUUID();
  readonly #startedAt: number;
  #ended: Omit<ExecResult, 'stdout' | 'stderr'> | undefined;
  #call: ClientReadableStream<unknown> | undefined;
  #isKilled = false;
  #isOver = false;

  constructor(options: RemoteExecutionOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.#log = new OutputLog(options.limits.outputBytes);
    this.result = this.#conduct();
  }

  get output(): AsyncIterable<OutputChunk> {
    return this.#log;
  }

  kill(): void {
    if (this.#isKilled || this.#isOver) return;
    this.#isKilled = true;
    void this.#kill();
  }

  async #conduct(): Promise<ExecResult> {
    const { signal } = this.#options;
    const cancel = () => this.kill();
    try {
      if (signal?.aborted) return this.#resultOf(this.#endedBy({ type: 'cancelled' }));
      signal?.addEventListener('abort', cancel, { once: true });
      await this.#follow();
      const noEnd: ExecEnd = {
        type: 'sandbox_ended',
        problem: 'The orchestrator told no end of it.',
      };
      return this.#resultOf(this.#ended ?? this.#endedBy(noEnd));
    } catch (error) {
      return this.#resultOf(this.#endedBy(this.#explain(error)));
    } finally {
      this.#isOver = true;
      signal?.removeEventListener('abort', cancel);
      this.#log.finish();
    }
  }

  #follow(): Promise<void> {
    const { client, containerId, command } = this.#options;
    const { argv, cwd = '', env = {}, stdin = '', timeoutMs = 0 } = command;
    const call = client.open('StreamCommand', {
      ...{ containerId, argv, cwd, env, timeoutMs, commandId: this.#id },
      stdin: Buffer.from(stdin),
    });
    this.#call = call;
    return new Promise((resolve, reject) => {
      call.on('data', (message: unknown) => {
        try {
          this.#take(message);
        } catch (error) {
          call.cancel();
          reject(error);
        }
      });
      call.on('error', reject);
      call.on('end', resolve);
    });
  }

  #take(message: unknown): void {
    const event = commandEventSchema.parse(message);
    if (event.event === 'end') this.#ended = fromCommandEnd(event.end);
    else if (event.event === 'stdout') this.#log.append('stdout', event.stdout);
    else this.#log.append('stderr', event.stderr);
  }

  /** A call that failed, as the end of its command. */
  #explain(error: unknown): ExecEnd {
    if (this.#isKilled) return { type: 'cancelled' };
    const failure = fromStatus(error);
    if (isLostConnection(error)) {
      const problem = `The connection to the orchestrator was lost: ${failure.message}`;
      return { type: 'sandbox_ended', problem };
    }
    switch (failure.code) {
      case 'invalid_options':
      case 'limit_reached':
      case 'too_large':
        return { type: 'not_started', problem: failure.message };
      case 'not_found':
      case 'not_running':
        this.#options.onGone(failure.message);
    }
    return { type: 'sandbox_ended', problem: failure.message };
  }

  #endedBy(end: ExecEnd): Omit<ExecResult, 'stdout' | 'stderr'> {
    const durationMs = this.#options.now() - this.#startedAt;
    return { end, exitCode: exitCodeOf(end), dropped: 0, durationMs };
  }

  #resultOf(ended: Omit<ExecResult, 'stdout' | 'stderr'>): ExecResult {
    return {
      ...ended,
      dropped: ended.dropped + this.#log.dropped,
      stdout: this.#log.bytes('stdout'),
      stderr: this.#log.bytes('stderr'),
    };
  }

  /**
   * Asks until the server has heard it: the command may not have reached it yet. That it is over
   * says the call of the command itself, once all it started is gone.
   */
  async #kill(): Promise<void> {
    const { client, containerId } = this.#options;
    const last = setTimeout(() => this.#call?.cancel(), killMs);
    try {
      while (!this.#isOver) {
        const request = { containerId, commandId: this.#id };
        const asked = { schema: killedSchema, timeoutMs: killMs };
        const { found } = await client.ask('KillCommand', request, asked);
        if (found) break;
        await new Promise((resolve) => setTimeout(resolve, killAgainMs));
      }
    } catch {
      this.#call?.cancel(); // The server kills what nobody follows any more.
    }
    await this.result;
    clearTimeout(last);
  }
}
