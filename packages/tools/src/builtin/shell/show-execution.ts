import type { ExecResult } from '@forge/sandbox';
import type { Results } from '../../results/create-results.ts';

/** How a command ended and what it printed. A failed command is news for the model, not our error. */
export async function showExecution(result: ExecResult, results: Results): Promise<string> {
  const output = joinStreams(result);
  const shown =
    output.length === 0
      ? '(no output)'
      : await results.showWorkspace({ source: 'command output', content: output });
  const dropped =
    result.dropped > 0 ? `\n[${result.dropped} more bytes of output were dropped.]` : '';
  return `${describeEnd(result)}\n${shown}${dropped}`;
}

export function describeEnd({ end, exitCode }: ExecResult): string {
  switch (end.type) {
    case 'exited':
      return `Exit code ${exitCode}`;
    case 'signalled':
      return end.outOfMemory === true
        ? `Killed: it needed more memory than the sandbox has (exit code ${exitCode})`
        : `Ended by ${end.signal} (exit code ${exitCode})`;
    case 'timed_out':
      return `Command timed out after ${end.afterMs / 1_000}s and was killed with all it had started (exit code 124). Start what takes long with background: true.`;
    case 'cancelled':
      return `Killed (exit code ${exitCode})`;
    case 'not_started':
      return `Could not be started: ${end.problem} (exit code ${exitCode})`;
    case 'sandbox_ended':
      return `The sandbox ended: ${end.problem}`;
  }
}

const mark = Buffer.from('[stderr]\n');

function joinStreams({ stdout, stderr }: ExecResult): Uint8Array {
  if (stderr.length === 0) return stdout;
  if (stdout.length === 0) return Buffer.concat([mark, stderr]);
  const newline = stdout.at(-1) === 10 ? Buffer.alloc(0) : Buffer.from('\n');
  return Buffer.concat([stdout, newline, mark, stderr]);
}
