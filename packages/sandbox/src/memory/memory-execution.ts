import { randomUUID } from 'node:crypto';
import { messageOf } from '@forge/core';
import { OutputLog } from '../channel/output-log.ts';
import { timeFor } from '../checks/check-command.ts';
import { exitCodeOf } from '../checks/exit-code-of.ts';
import type { Turns } from '../process/turns.ts';
import type { Command, ExecEnd, ExecResult, Execution, SandboxLimits } from '../sandbox.ts';
import { whyNotStarted } from './find-program.ts';
import { type MemoryFiles, workspace } from './memory-files.ts';
import type { ShellRun, Shells } from './shells.ts';

const longestLine = 10_000;

interface MemoryExecutionOptions {
  readonly command: Command & { readonly env: Readonly<Record<string, string>> };
  readonly files: MemoryFiles;
  readonly shells: Shells;
  readonly limits: SandboxLimits;
  readonly now: () => number;
  readonly turns: Turns;
  readonly signal: AbortSignal | undefined;
}

/** A command under way in a shell that is played. Its output comes when it has ended. */
export class MemoryExecution implements Execution {
  readonly result: Promise<ExecResult>;
  readonly #options: MemoryExecutionOptions;
  readonly #log: OutputLog;
  readonly #ended = Promise.withResolvers<ExecEnd>();
  #run: ShellRun | undefined;
  readonly #over = new AbortController();
  #notStartedCode: 126 | 127 = 127;

  constructor(options: MemoryExecutionOptions) {
    this.#options = options;
    this.#log = new OutputLog(options.limits.outputBytes);
    this.result = this.#conduct();
  }

  get output() {
    return this.#log;
  }

  kill(): void {
    this.end({ type: 'cancelled' });
  }

  /** Ends it this way, unless it has ended already. */
  end(end: ExecEnd): void {
    this.#over.abort();
    this.#ended.resolve(end);
  }

  async #conduct(): Promise<ExecResult> {
    const { signal, now } = this.#options;
    const startedAt = now();
    const cancel = () => this.kill();
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    try {
      void this.#takeTurn();
      const end = await this.#ended.promise;
      await this.#run?.end();
      return this.#resultOf(end, now() - startedAt);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#log.finish();
    }
  }

  /** Waits in line, runs, and lets the next one run when nothing of this one is left. */
  async #takeTurn(): Promise<void> {
    const { turns, command, limits } = this.#options;
    if (turns.waiting >= longestLine) {
      this.end({ type: 'not_started', problem: 'Too many commands wait in this sandbox.' });
      return;
    }
    if (!(await turns.take(this.#over.signal))) return;
    const afterMs = timeFor(command, limits);
    const timer = setTimeout(() => this.end({ type: 'timed_out', afterMs }), afterMs);
    try {
      this.end(await this.#start());
      await this.#run?.end();
    } finally {
      clearTimeout(timer);
      turns.give();
    }
  }

  async #start(): Promise<ExecEnd> {
    const { command, files, shells } = this.#options;
    const [program] = command.argv;
    try {
      const cwd = command.cwd === undefined ? workspace : files.resolve(command.cwd);
      const path = command.env.PATH ?? '';
      const why = await whyNotStarted(files, { program, cwd, path });
      if (why !== undefined) {
        this.#notStartedCode = why.exitCode;
        // The folder as it was written is what the caller knows.
        const problem =
          command.cwd === undefined ? why.problem : why.problem.replace(cwd, command.cwd);
        return { type: 'not_started', problem };
      }
      if (this.#over.signal.aborted) return { type: 'cancelled' };
      const { argv, env, stdin = '' } = command;
      this.#run = shells.run(
        {
          argv,
          cwd,
          env,
          stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin,
          outputFolder: `/dev/shm/${randomUUID()}`,
        },
        (method, args) => files.answer(method, args),
      );
      const { exitCode, stdout, stderr } = await this.#run.done;
      if (!this.#over.signal.aborted) {
        this.#log.append('stdout', stdout);
        this.#log.append('stderr', stderr);
      }
      return { type: 'exited', code: exitCode };
    } catch (error) {
      return { type: 'sandbox_ended', problem: `The shell failed: ${messageOf(error)}` };
    }
  }

  #resultOf(end: ExecEnd, durationMs: number): ExecResult {
    return {
      end,
      exitCode: end.type === 'not_started' ? this.#notStartedCode : exitCodeOf(end),
      stdout: this.#log.bytes('stdout'),
      stderr: this.#log.bytes('stderr'),
      dropped: this.#log.dropped,
      durationMs,
    };
  }
}
