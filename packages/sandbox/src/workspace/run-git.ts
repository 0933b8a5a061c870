import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ForgeError } from '@forge/core';

export interface GitCommand {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly input?: string | undefined;
  /** Exit codes that are no failure. Default 0. */
  readonly codes?: readonly number[];
  /** Output past this is cut, and git is ended. Default 256 MB, over which it is a failure. */
  readonly cutAt?: number;
  readonly signal?: AbortSignal | undefined;
}

const mostBytes = 256 * 1024 * 1024;
const complaintChars = 2000;

/** No hook, no pager, no program of a repository's choice runs, and nobody's own settings count. */
const settings = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['safe.directory', '*'],
  ['protocol.file.allow', 'always'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
};

/** Runs git on the host, without anything that could make it run something else. */
export async function runGit(
  command: GitCommand,
): Promise<{ readonly output: Buffer; readonly cut: boolean }> {
  const { cwd, args, input, codes = [0], cutAt = mostBytes, signal } = command;
  signal?.throwIfAborted();
  const child = spawn('git', [...settings, ...args], {
    cwd,
    env: environment,
    stdio: 'pipe',
    ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' }),
  });
  const closed = once(child, 'close');
  closed.catch(() => undefined); // Awaited below; it must not be unhandled before.
  const parts: Buffer[] = [];
  let size = 0;
  let complaint = '';
  child.stdout.on('data', (bytes: Buffer) => {
    if (size < cutAt) parts.push(bytes.subarray(0, cutAt - size));
    size += bytes.length;
    if (size > cutAt) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-complaintChars);
  });
  child.stdin.on('error', () => undefined); // It need not read what it is given.
  child.stdin.end(input ?? '');
  const [code] = await closed;
  const cut = size > cutAt;
  if (cut && command.cutAt !== undefined) return { output: Buffer.concat(parts), cut };
  if (cut || !codes.includes(code)) {
    const problem = cut ? 'it printed too much' : complaint.trim() || `it ended with ${code}`;
    throw new ForgeError('tool_failed', `git ${args[0] ?? ''} in ${cwd}: ${problem}`);
  }
  return { output: Buffer.concat(parts), cut };
}

/** Names that git printed with `-z`. */
export function namesFrom(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}
