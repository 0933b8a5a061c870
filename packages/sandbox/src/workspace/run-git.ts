import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { ForgeError } from '@forge/core';

export interface GitCommand {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly input?: string | Uint8Array | undefined;
  /** Added to an environment that holds nothing of ours. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Exit codes that are no failure. Default 0. */
  readonly codes?: readonly number[];
  /** Output past this is cut, and git is ended. Default 256 MB, over which it is a failure. */
  readonly cutAt?: number | undefined;
  /** What a failure says it happened in, where `cwd` would tell nobody anything. */
  readonly shown?: string | undefined;
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
): Promise<{ readonly output: Buffer; readonly cut: boolean; readonly code: number | null }> {
  const { cwd, args, input, codes = [0], cutAt = mostBytes, shown = cwd, signal } = command;
  signal?.throwIfAborted();
  const child = spawn('git', [...settings, ...args], {
    cwd,
    env: { ...environment, ...command.env },
    detached: true, // Ctrl-C at our terminal is for us: whoever waits for git decides what ends it.
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
  const [code, endedBy] = await closed.catch((error: unknown) => {
    throw notStarted(error, cwd);
  });
  // Ctrl-C came before it had left our process group: it has not begun, so it can begin again.
  if (endedBy === 'SIGINT' && size === 0 && complaint === '') return runGit(command);
  const cut = size > cutAt;
  if (cut && command.cutAt !== undefined) return { output: Buffer.concat(parts), cut, code };
  if (cut || code === null || !codes.includes(code)) {
    const problem = cut ? 'it printed too much' : complaint.trim() || `it ended with ${code}`;
    throw new ForgeError('tool_failed', `git ${args[0] ?? ''} in ${shown}: ${problem}`);
  }
  return { output: Buffer.concat(parts), cut, code };
}

function notStarted(error: unknown, cwd: string): unknown {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!missing) return error;
  if (!existsSync(cwd)) return new ForgeError('not_found', `There is no folder ${cwd}.`);
  const said = 'git is not installed on this machine, or not in the usual folders. Install git.';
  return new ForgeError('tool_failed', said, { cause: error });
}

/** Names that git printed with `-z`. */
export function namesFrom(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}
