import { ForgeError } from '@forge/core';
import type { Command, Sandbox } from '@forge/sandbox';
import * as z from 'zod';
import { confinedCommand } from '../inside/confined.ts';

export const commandFields = {
  command: z
    .string()
    .min(1)
    .max(100_000)
    .optional()
    .describe('A shell script, such as "npm test 2>&1 | tail -n 20".'),
  argv: z
    .array(z.string())
    .min(1)
    .max(1_000)
    .optional()
    .describe('Instead of command: a program and its arguments, with no shell.'),
  cwd: z.string().min(1).optional().describe('Folder to run in. Default: the workspace.'),
};

export interface CommandInput {
  readonly command?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/** Goes to the folder first, which is inside the workspace wherever links point. */
const script = `
enter
case $1 in
  shell) if command -v bash >/dev/null 2>&1; then exec bash -c "$2"; else exec sh -c "$2"; fi ;;
  program) shift; command -v -- "$1" >/dev/null 2>&1 || { printf '%s: not found\\n' "$1" >&2; exit 127; }; exec "$@" ;;
esac
`;

/** The command as the sandbox runs it. */
export function shellCommand({
  sandbox,
  input,
  timeoutMs,
}: {
  readonly sandbox: Sandbox;
  readonly input: CommandInput;
  readonly timeoutMs: number;
}): Command {
  const { command, argv, cwd = '.' } = input;
  const given = command === undefined ? (argv ?? []) : [command];
  if (given.some((word) => word.includes('\0'))) {
    throw new ForgeError('tool_failed', 'A command cannot have a NUL character.');
  }
  const args = command === undefined ? ['program', ...given] : ['shell', ...given];
  return confinedCommand({ sandbox, path: cwd, script, args, timeoutMs });
}

export const oneOfBoth = {
  check: ({ command, argv }: CommandInput) => (command === undefined) !== (argv === undefined),
  error: { path: ['command'], message: 'give command or argv, one of them' },
};
