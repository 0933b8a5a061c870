import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Program } from './install-client.ts';

export interface ProgramRun {
  /** Undefined if it was ended from outside or by the time limit. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const limit = 200_000;

/** Runs a program to its end, or for `timeout` milliseconds; then all it started is ended too. */
export async function runProgram(
  [command, ...before]: Program,
  {
    args,
    cwd,
    env,
    timeout,
  }: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly timeout: number;
  },
): Promise<ProgramRun> {
  const child = spawn(command, [...before, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that it can be ended with all it has started.
    detached: true,
  });
  const heard = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      heard[name] = (heard[name] + text).slice(-limit);
    });
  }
  const timer = setTimeout(() => end(child.pid), timeout);
  try {
    const [code] = await once(child, 'close');
    return { code: typeof code === 'number' ? code : undefined, ...heard };
  } finally {
    clearTimeout(timer);
    end(child.pid);
  }
}

function end(pid: number | undefined) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it is gone already.
  }
}
