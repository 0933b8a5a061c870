import { ForgeError, nearestNames } from '@forge/core';
import type { Command, ExecResult, Execution, Sandbox } from '@forge/sandbox';
import { QuotingError } from './quoting-error.ts';
import { type Ended, runInside, saidOf } from './run-inside.ts';
import { workspacePath } from './workspace-path.ts';

/**
 * The beginning of every script that touches a path: `$root` is the workspace as it really is,
 * `$rel` the path asked for. A script goes to a folder and then asks where it is, or opens a file
 * and then asks what it opened, so that a link swapped in between leads nowhere.
 */
const prelude = `
unset CDPATH
root=$1 rel=$2; shift 2
cd -P -- "$root" 2>/dev/null || exit 91
root=$PWD
inside() { case "$1/" in "$root"/*) ;; *) exit 92 ;; esac; }
plain() { case "$1/" in */.[gG][iI][tT]/*) exit 98 ;; esac; }
missing() { d=./$rel; while [ ! -d "$d" ]; do d=\${d%/*}; done; cd -P -- "$d" && inside "$PWD"; ls -1A | head -n 200; exit 94; }
enter() {
  [ -d "./$rel" ] || { [ -e "./$rel" ] && exit 89; missing; }
  cd -P -- "./$rel" 2>/dev/null || exit 97
  inside "$PWD"
}
open() {
  [ -e "./$rel" ] || missing
  [ ! -d "./$rel" ] || exit 95
  [ -f "./$rel" ] || exit 96
  [ -r "./$rel" ] || exit 97
  exec 3<"./$rel"
  real=$(readlink /proc/self/fd/3 2>/dev/null) || real=$(readlink -f -- "./$rel") || exit 97
  inside "$real"
}
`;

/** Enough for a large tree, and an end to what a pipe in the place of a file would wait for. */
const longestMs = 120_000;

export interface ConfinedScript {
  readonly sandbox: Sandbox;
  /** As the model gave it. */
  readonly path: string;
  /** POSIX shell, with `enter` and `open` of the prelude; its arguments begin at $1. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Default two minutes. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command that runs a script on a path of the workspace, and nowhere else. */
export function confinedCommand(options: ConfinedScript): Command {
  const { sandbox, path, script, args = [], stdin, timeoutMs = longestMs, env } = options;
  const relative = workspacePath(path, sandbox.workspace);
  return {
    argv: ['sh', '-c', prelude + script, 'sh', sandbox.workspace, relative, ...args],
    ...(stdin !== undefined && { stdin }),
    timeoutMs,
    ...(env !== undefined && { env }),
  };
}

/** Runs a script on a path and explains the refusals of the prelude. */
export async function runConfined(options: ConfinedScript, signal: AbortSignal): Promise<Ended> {
  const result = await runInside(options.sandbox, confinedCommand(options), signal);
  explainRefusal(options, result);
  return result;
}

/** Starts a script whose output is read as it comes; give its result to `explainRefusal`. */
export function startConfined(options: ConfinedScript, signal: AbortSignal): Execution {
  return options.sandbox.exec(confinedCommand(options), { signal });
}

/** Throws what a refusal of the prelude means to a model. */
export function explainRefusal({ path, sandbox }: ConfinedScript, result: ExecResult): void {
  const shown = JSON.stringify(path);
  switch (result.exitCode) {
    case 91:
      throw new ForgeError('not_running', `The workspace ${sandbox.workspace} is not there.`);
    case 92:
      throw new ForgeError(
        'not_allowed',
        `${shown} escapes allowed directory: a link on its way leads out of the workspace.`,
      );
    case 94:
      throw notFound(path, result);
    case 89:
      throw new ForgeError('not_a_file', `${shown} is a file, or goes through one. Give a folder.`);
    case 95:
      throw new ForgeError(
        'not_a_file',
        `${shown} is a folder. Give a file; list shows what is in a folder.`,
      );
    case 96:
      throw new ForgeError('not_a_file', `${shown} is neither a file nor a folder.`);
    case 97:
      throw new QuotingError('not_allowed', {
        said: `${shown} may not be opened.`,
        quote: saidOf(result),
      });
    case 98:
      throw new ForgeError(
        'not_allowed',
        `${shown} leads into .git, which is changed by git alone.`,
      );
  }
}

function notFound(path: string, { stdout }: ExecResult): QuotingError {
  const names = new TextDecoder()
    .decode(stdout)
    .split('\n')
    .filter((name) => name !== '');
  const near = nearestNames(path.slice(path.lastIndexOf('/') + 1), names);
  const hint =
    near.length > 0 ? 'Did you mean one of these?' : 'Look for it with list, glob or search.';
  return new QuotingError('not_found', {
    said: `File not found: ${JSON.stringify(path)}. ${hint}`,
    quote: near.map((name) => JSON.stringify(name)).join(', '),
  });
}
