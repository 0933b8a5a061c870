import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { CommandSetting } from './process-config.ts';

/** Words of the shell that are no programs. */
const shellWords = new Set([
  ...['.', ':', '[', 'cd', 'command', 'echo', 'eval', 'exec', 'exit', 'export', 'false', 'if'],
  ...['for', 'printf', 'read', 'set', 'source', 'test', 'trap', 'true', 'ulimit', 'umask', 'until'],
  ...['wait', 'while', 'case', 'env', '{', '(', '!'],
]);

/**
 * The program a command starts with, where that can be told without a shell: undefined for a word
 * of the shell, and for anything with quotes, variables or settings in front.
 */
export function programOf(command: CommandSetting): string | undefined {
  if (typeof command !== 'string') return command[0];
  const [word = ''] = command.trim().split(/[\s;&|]+/);
  return /^[\w./+-]+$/.test(word) && !shellWords.has(word) ? word : undefined;
}

/** Whether it can be run from that folder. */
export function canRun(program: string, { cwd, path }: { cwd: string; path: string }): boolean {
  if (program.includes('/')) return isProgram(resolve(cwd, program));
  return path.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, program)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
