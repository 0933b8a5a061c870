import { ForgeError } from '@forge/core';

const longest = 4_096;

/**
 * A path a model gave, relative to the workspace: `.` for the workspace itself. Refuses what leaves
 * it by its spelling; where links lead is looked at inside the sandbox, by the command that uses
 * the path.
 */
export function workspacePath(path: string, workspace: string): string {
  if (path.includes('\0')) throw refused(`Invalid path: it has a NUL character.`);
  if (path.length > longest)
    throw refused(`Invalid path: it is longer than ${longest} characters.`);
  const shown = JSON.stringify(path);
  const segments = path.split('/');
  if (segments.includes('..')) {
    throw refused(
      `Path traversal detected: ${shown} escapes allowed directory. Give a path inside the workspace, without "..".`,
    );
  }
  if (!path.startsWith('/')) return joined(segments);
  const root = workspace.split('/').filter(isName);
  const names = segments.filter(isName);
  if (root.some((name, index) => names[index] !== name)) {
    throw refused(
      `Path must be within ${workspace}: ${shown} escapes allowed directory. Give a relative path such as "src/main.ts".`,
    );
  }
  return joined(names.slice(root.length));
}

/** Refuses to change what git keeps: a hook or a setting there is a command that runs later. */
export function refuseGitFolder(path: string): void {
  if (path.split('/').some((segment) => segment.toLowerCase() === '.git')) {
    throw refused(
      `${JSON.stringify(path)} is inside .git, which is changed by git alone. Use the git tools.`,
    );
  }
}

function joined(segments: readonly string[]): string {
  return segments.filter(isName).join('/') || '.';
}

function isName(segment: string): boolean {
  return segment !== '' && segment !== '.';
}

function refused(message: string): ForgeError {
  return new ForgeError('not_allowed', message);
}
