import { neutralise } from '@forge/core';
import type { ExecResult, Sandbox } from '@forge/sandbox';
import { decodeText, type Results } from '@forge/tools';
import type { CheckResult } from '../../contracts.ts';

/** Characters of a check's output that go on to others. The end says most. */
const outputChars = 2_000;

/** With bash where there is one, as the project's own people would run it. */
const script =
  'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';

/** Runs one command in the sandbox. That it fails, hangs or cannot start is its result. */
export async function runCheck(
  {
    sandbox,
    command,
    timeoutMs,
    results,
  }: {
    readonly sandbox: Sandbox;
    readonly command: string;
    readonly timeoutMs: number;
    readonly results: Results;
  },
  signal: AbortSignal,
): Promise<{ readonly check: CheckResult; readonly shown: string }> {
  const argv: [string, ...string[]] = ['sh', '-c', script, 'sh', command];
  const result = await sandbox.exec({ argv, timeoutMs, env: { CI: 'true' } }, { signal }).result;
  signal.throwIfAborted();
  const { exitCode } = result;
  const printed = Buffer.concat([result.stdout, result.stderr]);
  const passed = result.end.type === 'exited' && exitCode === 0;
  const tail = neutralise(decodeText(printed).text).trim().slice(-outputChars).toWellFormed();
  const why = reasonOf(result);
  const check = { command, passed, exitCode, output: why === '' ? tail : `${tail}\n${why}`.trim() };
  const head = `$ ${command}\n${passed ? 'passed' : `failed, exit code ${exitCode}`}${why === '' ? '' : `: ${why}`}`;
  if (passed) return { check, shown: head };
  const body = await results.showWorkspace({ source: 'output of a check', content: printed });
  return { check, shown: `${head}\n${body}` };
}

function reasonOf({ end }: ExecResult): string {
  switch (end.type) {
    case 'exited':
      return '';
    case 'signalled':
      return end.outOfMemory === true
        ? 'It needed more memory than the sandbox has.'
        : `It was ended by ${end.signal}.`;
    case 'timed_out':
      return `It took longer than ${end.afterMs / 1_000} s and was stopped.`;
    case 'cancelled':
      return 'It was cancelled.';
    case 'not_started':
      return `It could not be started: ${end.problem}`;
    case 'sandbox_ended':
      return `The sandbox ended: ${end.problem}`;
  }
}
