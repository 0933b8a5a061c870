import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { OutputLog } from '../channel/output-log.ts';
import { exitCodeOf } from '../checks/exit-code-of.ts';
import { signalProcess } from '../owner/marked-processes.ts';
import type { Command, ExecEnd, ExecResult, Execution, SandboxLimits } from '../sandbox.ts';
import { findProgram } from './find-program.ts';
import { killMarked, lastPid, markVariable } from './marked-processes.ts';
import type { Turns } from './turns.ts';

export interface ProcessCommandOptions {
  readonly command: Command;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the environments of its processes say. */
  readonly mark: string;
  readonly limits: SandboxLimits;
  readonly timeoutMs: number;
  readonly turns: Turns;
  readonly signal?: AbortSignal | undefined;
}

/** Most commands that may wait for their turn. */
const longestLine = 10_000;

/** How long a pipe is read on that a process which got away holds open. */
const lingerMs = 500;

/** A command as a child process in a session of its own. */
export class ProcessCommand implements Execution {
  readonly output: Execution['output'];
  readonly result: Promise<ExecResult>;
  readonly #options: ProcessCommandOptions;
  readonly #log: OutputLog;
  readonly #ending = new AbortController();
  #end: ExecEnd | undefined;
  #child: ChildProcess | undefined;

  constructor(options: ProcessCommandOptions) {
    this.#options = options;
    this.#log = new OutputLog(options.limits.outputBytes);
    this.output = this.#log;
    this.result = this.#run();
  }

  kill(): void {
    this.endWith({ type: 'cancelled' });
  }

  /** Kills it, for this reason. The first reason stands. */
  endWith(end: ExecEnd): void {
    if (this.#ending.signal.aborted) return;
    this.#end = end;
    this.#ending.abort();
  }

  /** Asks it to end by itself. */
  terminate(): void {
    if (this.#child?.pid !== undefined) signalProcess(-this.#child.pid, 'SIGTERM');
  }

  async #run(): Promise<ExecResult> {
    const { signal, turns } = this.#options;
    const started = performance.now();
    const cancel = () => this.kill();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      if (turns.waiting >= longestLine) {
        return this.#finish(notStarted('Too many commands wait in this sandbox.'), started);
      }
      if (!(await turns.take(this.#ending.signal))) return this.#finish(this.#reason(), started);
      try {
        const begun = performance.now();
        const { code, end } = await this.#perform();
        return this.#finish(end, begun, code);
      } finally {
        turns.give();
      }
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#ending.abort(); // From here on a kill changes nothing.
    }
  }

  async #perform(): Promise<{ readonly end: ExecEnd; readonly code?: number }> {
    const { command, cwd, env } = this.#options;
    const folder = await stat(cwd).catch(() => undefined);
    if (!folder?.isDirectory()) {
      return { end: notStarted(`There is no folder ${command.cwd ?? cwd}.`) };
    }
    const program = await findProgram({ program: command.argv[0], cwd, path: env.PATH ?? '' });
    if (program.type !== 'found') {
      return { end: notStarted(program.problem), code: program.type === 'denied' ? 126 : 127 };
    }
    if (this.#ending.signal.aborted) return { end: this.#reason() };
    return { end: await this.#runChild(program.path) };
  }

  async #runChild(program: string): Promise<ExecEnd> {
    const { command, cwd, env, mark, limits, timeoutMs } = this.#options;
    const [, ...args] = command.argv;
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', ['-c', limitScript(limits), 'sh', program, ...args], {
        cwd,
        env: { ...env, [markVariable]: mark },
        detached: true, // A session and group of its own, to be killed as one.
        stdio: 'pipe',
      });
    } catch (error) {
      return notStarted(`${command.argv[0]} could not be started: ${String(error)}`);
    }
    this.#child = child;
    const failed = new Promise<ExecEnd>((resolve) => {
      child.once('error', (error) =>
        resolve(notStarted(`${command.argv[0]} could not be started: ${error.message}`)),
      );
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const exited = new Promise<ExecEnd>((resolve) => {
      child.once('exit', (code, signal) =>
        resolve(
          signal === null ? { type: 'exited', code: code ?? 0 } : { type: 'signalled', signal },
        ),
      );
    });
    child.stdout?.on('data', (bytes: Buffer) => this.#log.append('stdout', bytes));
    child.stderr?.on('data', (bytes: Buffer) => this.#log.append('stderr', bytes));
    child.stdin?.on('error', () => undefined); // It need not read what it is given.
    child.stdin?.end(command.stdin ?? '');

    const killNow = () => {
      if (child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL');
      void killMarked(mark);
    };
    const timer = setTimeout(
      () => this.endWith({ type: 'timed_out', afterMs: timeoutMs }),
      timeoutMs,
    );
    this.#ending.signal.addEventListener('abort', killNow, { once: true });
    try {
      const end = await Promise.race([failed, exited]);
      const reason = this.#end;
      await this.#killRest(child);
      await this.#drained(child, closed);
      return reason ?? end;
    } finally {
      clearTimeout(timer);
      this.#ending.signal.removeEventListener('abort', killNow);
    }
  }

  /** Kills what the command left running. */
  async #killRest({ pid }: ChildProcess): Promise<void> {
    if (pid === undefined) return;
    signalProcess(-pid, 'SIGKILL');
    const last = await lastPid();
    if (last === pid) return; // No process was started since: it can have left none.
    // Numbers are given in order and begin again at the highest.
    const isLater = (other: number) =>
      last === undefined || (last > pid ? other > pid && other <= last + slack : true);
    await killMarked(this.#options.mark, isLater);
  }

  /** Until its pipes are read to the end, which comes when all that held them are dead. */
  async #drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const lingered = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, lingerMs);
    });
    try {
      await Promise.race([closed, lingered]);
    } finally {
      clearTimeout(timer);
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
  }

  #reason(): ExecEnd {
    return this.#end ?? { type: 'cancelled' };
  }

  #finish(end: ExecEnd, started: number, exitCode = exitCodeOf(end)): ExecResult {
    this.#log.finish();
    return {
      end,
      exitCode,
      stdout: this.#log.bytes('stdout'),
      stderr: this.#log.bytes('stderr'),
      dropped: this.#log.dropped,
      durationMs: performance.now() - started,
    };
  }
}

/** Numbers given while we look. */
const slack = 10_000;

function notStarted(problem: string): ExecEnd {
  return { type: 'not_started', problem };
}

/** Sets what the system can limit for each process, then becomes the program. */
function limitScript({ memoryBytes, diskBytes }: SandboxLimits): string {
  const kilobytes = Math.ceil(memoryBytes / 1024);
  const blocks = Math.ceil(diskBytes / 512);
  return `ulimit -c 0; ulimit -d ${kilobytes} 2>/dev/null; ulimit -f ${blocks} 2>/dev/null; exec "$@"`;
}
