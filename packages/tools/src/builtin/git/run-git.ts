import { ForgeError, ToolResolutionError } from '@forge/core';
import type { ExecResult, Sandbox } from '@forge/sandbox';
import { runConfined } from '../inside/confined.ts';
import { QuotingError } from '../inside/quoting-error.ts';
import { saidOf } from '../inside/run-inside.ts';
import { gitEnvironment } from './git-environment.ts';

/**
 * Finds the repository without looking above the workspace, refuses one whose files lie outside,
 * and switches off the content filters that it defines, or a repository inside it does: git looks
 * into submodules by running itself there. What it switched off is said in the first line of the
 * error stream.
 */
const script = `
enter
command -v git >/dev/null 2>&1 || exit 90
export GIT_CEILING_DIRECTORIES="\${root%/*}"
top=$(git rev-parse --show-toplevel 2>/dev/null) || exit 88
inside "$top"
n=$GIT_CONFIG_COUNT off=
look='git -C "$1" config --name-only --get-regexp "^filter\\."'
if git -C "$top" ls-files --stage </dev/null | grep -q '^160000 '; then
  keys=$(find "$top" -name .git -prune -exec sh -c 'set -- "\${1%/.git}"; '"$look" sh {} \\; </dev/null)
else
  keys=$(sh -c "$look" sh "$top" </dev/null)
fi
old=$IFS; set -f; IFS='
'
for key in $keys; do
  value=; case $key in *.required) value=false ;; *.clean) off="$off \${key%.clean}" ;; esac
  export "GIT_CONFIG_KEY_$n=$key" "GIT_CONFIG_VALUE_$n=$value"
  n=$((n + 1))
done
IFS=$old; set +f
export GIT_CONFIG_COUNT="$n"
printf 'filters:%s\\n' "$off" >&2
exec git "$@"
`;

const timeoutMs = 30_000;

export interface GitCommand {
  readonly sandbox: Sandbox;
  /** A folder of the repository. Default: the workspace. */
  readonly repo?: string | undefined;
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly said: string;
  /** Content filters that would have changed what is added, by name. */
  readonly filtersOff: readonly string[];
  readonly dropped: number;
}

/** Runs git. An exit code other than 0 is for the caller to read. */
export async function runGit(command: GitCommand, signal: AbortSignal): Promise<GitResult> {
  const { sandbox, repo = '.', args, stdin, env } = command;
  const result = await runConfined(
    {
      sandbox,
      path: repo,
      script,
      args,
      timeoutMs,
      env: { ...gitEnvironment(), ...env },
      ...(stdin !== undefined && { stdin }),
    },
    signal,
  );
  if (result.exitCode === 90) throw new ForgeError('tool_failed', 'git is not in this sandbox.');
  if (result.exitCode === 88) {
    throw new ToolResolutionError(
      `There is no git repository in ${repo === '.' ? 'the workspace' : JSON.stringify(repo)}.`,
    );
  }
  return readResult(result);
}

function readResult(result: ExecResult): GitResult {
  const [first = '', ...rest] = saidOf(result, 4_000).split('\n');
  const filtersOff = first
    .replace(/^filters:/, '')
    .split(' filter.')
    .filter((name) => name !== '');
  const { exitCode, stdout, dropped } = result;
  return { exitCode, stdout, dropped, filtersOff, said: rest.join('\n').trim() };
}

/** What git printed. Throws what it said if it failed. */
export async function gitText(command: GitCommand, signal: AbortSignal): Promise<string> {
  return new TextDecoder().decode((await gitOk(command, signal)).stdout);
}

export async function gitOk(command: GitCommand, signal: AbortSignal): Promise<GitResult> {
  const result = await runGit(command, signal);
  if (result.exitCode === 0) return result;
  const name = command.args.find((word) => !word.startsWith('-'));
  const said = `git ${name} failed with exit code ${result.exitCode}.`;
  throw new QuotingError('tool_failed', { said, quote: result.said });
}
