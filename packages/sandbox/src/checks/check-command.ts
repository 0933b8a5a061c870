import { ForgeError } from '@forge/core';
import type { Command, SandboxLimits } from '../sandbox.ts';
import { checkPath } from './check-path.ts';

/** Refuses a command that could never run, in any sandbox. */
export function checkCommand(command: Command): void {
  const [program] = command.argv;
  if (program === undefined || program === '') {
    throw refusal('A command needs the name of a program. For a shell: ["sh", "-c", script].');
  }
  if (command.argv.some((argument) => argument.includes('\0'))) {
    throw refusal('An argument of a command holds a NUL byte, which no program can be given.');
  }
  if (command.cwd !== undefined) checkPath(command.cwd);
  checkVariables(command.env ?? {});
  const { timeoutMs } = command;
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw refusal(`timeoutMs is ${timeoutMs}. It takes milliseconds, more than 0, such as 60000.`);
  }
}

/** Refuses names and values that cannot be variables of an environment. */
export function checkVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (name === '' || name.includes('=') || name.includes('\0')) {
      throw refusal(`${JSON.stringify(name)} cannot be the name of a variable.`);
    }
    if (value.includes('\0')) throw refusal(`The variable ${name} holds a NUL byte.`);
  }
}

/** How long a command may take: what it asks for, within the limit of its sandbox. */
export function timeFor(command: Command, limits: SandboxLimits): number {
  return Math.min(command.timeoutMs ?? limits.timeMs, limits.timeMs);
}

function refusal(message: string): ForgeError {
  return new ForgeError('invalid_options', message);
}
