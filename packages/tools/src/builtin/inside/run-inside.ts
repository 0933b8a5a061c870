import { ForgeError } from '@forge/core';
import type { Command, ExecResult, Sandbox } from '@forge/sandbox';

/** A command that ended by itself. */
export interface Ended extends ExecResult {
  readonly end: ExecResult['end'] & { readonly type: 'exited' | 'signalled' };
}

/**
 * Runs a command in the sandbox and waits for its end. Anything but an end of its own is an error:
 * no such program, out of time, cancelled, a sandbox that is gone.
 */
export async function runInside(
  sandbox: Sandbox,
  command: Command,
  signal: AbortSignal,
): Promise<Ended> {
  signal.throwIfAborted();
  const result = await sandbox.exec(command, { signal }).result;
  return endedBySelf(result, command.argv[0], signal);
}

export function endedBySelf(result: ExecResult, program: string, signal: AbortSignal): Ended {
  const { end } = result;
  switch (end.type) {
    case 'exited':
    case 'signalled':
      return { ...result, end };
    case 'timed_out':
      throw new ForgeError('tool_failed', `It took longer than ${end.afterMs} ms and was stopped.`);
    case 'cancelled':
      signal.throwIfAborted();
      throw new ForgeError('cancelled', 'The command was cancelled.');
    case 'not_started':
      throw new ForgeError('tool_failed', `${program} could not be started: ${end.problem}`);
    case 'sandbox_ended':
      throw new ForgeError('not_running', `The sandbox ended: ${end.problem}`);
  }
}

/** What a program said on its error stream, for a message. */
export function saidOf({ stderr }: ExecResult, most = 1_000): string {
  return new TextDecoder().decode(stderr.subarray(0, most)).trim();
}
